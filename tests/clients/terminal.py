"""Plays at a real terminal, a pseudo-terminal: python3 terminal.py PROGRAM"""

import os
import select
import signal
import sys
import termios
import time

PATIENCE = 60.0


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, arguments, **variables):
        try:
            import pty

            self.master, self.slave = pty.openpty()
        except (ImportError, OSError) as error:
            print("no terminal:", error)
            sys.exit(0)
        self.mode = termios.tcgetattr(self.slave)
        self.seen = ""
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            import fcntl

            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for stream in (0, 1, 2):
                os.dup2(self.slave, stream)
            os.closerange(3, 64)
            # A parent that runs in the background may ignore it, and so would the program.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            environment = {"PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
            environment.update(variables)
            os.execve(arguments[0], arguments, environment)

    def type(self, text):
        os.write(self.master, text.encode())

    def expect(self, text):
        """Waits until the program has written a text, and forgets what was before its end."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                sys.exit(f"{text!r} does not come; seen: {self.seen!r}")
            try:
                read = os.read(self.master, 4096)
            except OSError:
                read = b""
            if not read:
                sys.exit(f"the program ended before {text!r}; seen: {self.seen!r}")
            self.seen += read.decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(text)
        return before

    def end(self, status):
        """Waits for the end, and checks the exit status and the mode of the terminal."""
        deadline = time.monotonic() + PATIENCE
        while True:
            # What the program still writes must be read.
            if select.select([self.master], [], [], 0.02)[0]:
                os.read(self.master, 4096)
            process, raw = os.waitpid(self.process, os.WNOHANG)
            if process:
                break
            if time.monotonic() > deadline:
                os.kill(self.process, signal.SIGKILL)
                sys.exit("the program does not end")
        ended = os.waitstatus_to_exitcode(raw)
        if ended != status:
            sys.exit(f"exit status {ended}, not {status}")
        if termios.tcgetattr(self.slave) != self.mode:
            sys.exit("the mode of the terminal has changed")
        os.close(self.master)
        os.close(self.slave)


def main(program):
    game = [program, "play", "markane:6x6"]

    # Completion, colours, Unicode, the mark; Ctrl-C while the engine thinks makes it move.
    terminal = Terminal(game + ["--movetime", "600000"])
    terminal.expect("Black> ")
    terminal.type("c3\r")
    terminal.expect("thinks; Ctrl-C")
    terminal.type("\x03")
    terminal.expect("White plays ")
    board = terminal.expect("Turn 3")
    assert "\x1b[38;5;231;48;5;71m(●)" in board, board
    terminal.expect("Black> ")
    terminal.type("mov\t")
    terminal.expect("moves")
    terminal.type("\r")
    terminal.expect("1. c3 ")
    terminal.expect("Black> ")
    # The line before comes back, and is edited.
    terminal.type("\x1b[A\x01\x0blegal c3\r")
    terminal.expect("Black has no step at c3")
    terminal.expect("Black> ")
    terminal.type("\x04")
    terminal.expect("To go on with this game")
    terminal.end(0)

    # Ctrl-C at the prompt drops what was typed, and leaves if nothing else comes between.
    terminal = Terminal(game, NO_COLOR="1")
    board = terminal.expect("Black> ")
    assert "\x1b[38" not in board and "·" in board, board
    terminal.type("c3\x03")
    terminal.expect("Ctrl-C once more")
    terminal.expect("Black> ")
    terminal.type("moves\r")
    terminal.expect("No move has been played")
    terminal.expect("Black> ")
    terminal.type("\x03")
    terminal.expect("Ctrl-C once more")
    terminal.expect("Black> ")
    terminal.type("\x03")
    terminal.end(0)

    # A signal ends the program while it waits for a line, and while it thinks.
    terminal = Terminal(game, LC_ALL="C")
    board = terminal.expect("Black> ")
    assert "·" not in board and "." in board, board
    time.sleep(0.2)
    os.kill(terminal.process, signal.SIGTERM)
    terminal.end(0)
    terminal = Terminal(game + ["--as", "w", "--movetime", "600000"], TERM="dumb")
    terminal.expect("Type a move")
    time.sleep(0.5)
    os.kill(terminal.process, signal.SIGTERM)
    terminal.end(130)


main(sys.argv[1])
