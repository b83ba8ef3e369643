"""Runs the program of this package, so that `python -m pentalith` works where its folder is not in PATH."""

import os
import subprocess
import sys
import sysconfig


def program():
    """Return the path of the program: beside this Python, or among the scripts of the user."""
    name = "pentalith" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=os.name + "_user")]
    # `pip install --target FOLDER` puts programs into FOLDER/bin.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    sys.exit(f"{name} is in none of these folders: {', '.join(folders)}; install the package again")


if __name__ == "__main__":
    command = [program(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))
