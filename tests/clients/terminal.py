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

    def __init__(self, arguments, size=None, **variables):
        try:
            import pty

            self.master, self.slave = pty.openpty()
        except (ImportError, OSError) as error:
            print("no terminal:", error)
            sys.exit(0)
        if size:
            self.resize(*size, signal_it=False)
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

    def resize(self, columns, rows, signal_it=True):
        import fcntl
        import struct

        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if signal_it:
            os.kill(self.process, signal.SIGWINCH)

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
    # Without a command the program speaks a protocol, and says how to play instead.
    terminal = Terminal([program])
    terminal.expect("quit ends it.")
    terminal.expect("pentalith play")
    terminal.type("help\r")
    terminal.expect("pentalith board    in the browser")
    terminal.type("name\rhelp\r")
    terminal.expect("= pentalith")
    terminal.expect("pentalith board    in the browser")
    terminal.type("quit\r")
    terminal.end(0)

    game = [program, "play", "markane:6x6"]

    # Completion, colors, Unicode, the mark; Ctrl-C while the engine thinks makes it move.
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
    terminal.expect("To resume this game")
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

    pasted(game)
    typed_ahead(game)
    colors(game)
    narrow(program)
    paged(game)
    completed(game)


def pasted(game):
    """Lines that are pasted together are carried out one after the other."""
    for paste in ["\x1b[200~c3\rmoves\rd5\x1b[201~\r", "\x1b[200~c3\nmoves\nd5\n\x1b[201~\r", "c3\rmoves\rd5\r", "c3\nmoves\nd5\n"]:
        terminal = Terminal(game + ["--as", "both"])
        terminal.expect("Black> ")
        terminal.type(paste)
        terminal.expect("1. c3")
        terminal.expect("Turn 3, Black")
        # A question takes the next line, too.
        terminal.type("\x1b[200~resign\rsave /dev/null/x\rnew\ra1\x1b[201~\r")
        terminal.expect("Not saved: /dev/null/x")
        terminal.expect("Turn 2, White")
        terminal.type("quit\r")
        terminal.expect("a1'")
        terminal.end(0)


def typed_ahead(game):
    """What is typed while the engine thinks waits for the next question, also if Ctrl-C ends the search."""
    terminal = Terminal(game + ["--movetime", "600000"])
    terminal.expect("Black> ")
    terminal.type("c3\r")
    terminal.expect("thinks; Ctrl-C")
    terminal.type("moves\rlegal d9x\x7f\x7f8\rund")
    terminal.type("\x03")
    terminal.expect("White plays ")
    shown = terminal.expect("1. c3")
    assert "legal" not in shown, shown
    terminal.expect('"d8" is not a cell')
    terminal.expect("und")
    terminal.type("o\r")
    terminal.expect("Taken back: Black c3")
    terminal.type("quit\r")
    terminal.end(0)


def colors(game):
    """Only terminals that have colors get them."""
    for name, has_colors in [("vt100", False), ("vt220", False), ("xterm-mono", False), ("xterm", True), ("linux", True)]:
        terminal = Terminal(game, TERM=name, COLORTERM="truecolor" if name == "vt100" else "")
        board = terminal.expect("Black> ")
        assert ("\x1b[3" in board or "\x1b[1;3" in board) == has_colors, (name, board)
        terminal.type("quit\r")
        terminal.end(0)


def lines(text):
    """Returns the lines of a text without colors."""
    import re

    return [line.rstrip("\r") for line in re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", text).split("\n")]


def narrow(program):
    """No line is wider than the window, which may change."""
    for variant, columns in [("markane:25x3", 80), ("markane:25x3", 60), ("gravel:25", 80), ("inversion:13", 80), ("gravel:9", 20)]:
        for variables in [{}, {"NO_COLOR": "1"}, {"LC_ALL": "C"}]:
            terminal = Terminal([program, "play", variant, "--as", "both"], size=(columns, 24), **variables)
            shown = terminal.expect("> ")
            assert all(len(line) <= columns for line in lines(shown)), (variant, columns)
            assert " a " in shown and "window" not in shown, (variant, columns)
            terminal.type("quit\r")
            terminal.end(0)
    terminal = Terminal([program, "play", "inversion:13", "--as", "both"], size=(50, 24))
    shown = " ".join(lines(terminal.expect("> ")))
    assert "The board needs a window of 67 columns; this one has 50." in shown, shown
    terminal.resize(80, 24)
    terminal.type("\r")
    shown = terminal.expect("> ")
    assert "window" not in shown and "a12" in shown
    terminal.resize(30, 24)
    terminal.type("help legal\r")
    shown = terminal.expect("> ")
    assert all(len(line) <= 30 for line in lines(shown)), shown
    terminal.type("quit\r")
    terminal.end(0)


def paged(game):
    """Texts that are longer than the window are shown by the pager."""
    terminal = Terminal(game, size=(80, 24), PAGER="sed -n '1s/^/paged: /p;$p'")
    terminal.expect("Black> ")
    terminal.type("rules\r")
    terminal.expect("paged: MARKANE")
    terminal.expect("Black> ")
    terminal.type("quit\r")
    terminal.end(0)
    # Without a pager, and where the text fits.
    for size, pager in [((80, 24), "no-such-pager"), ((80, 24), "cat"), ((80, 24), ""), ((80, 1000), "false")]:
        terminal = Terminal(game, size=size, PAGER=pager)
        terminal.expect("Black> ")
        terminal.type("rules\r")
        terminal.expect("step  meaning")
        terminal.expect("Black> ")
        terminal.type("quit\r")
        terminal.end(0)


def completed(game):
    """Tab completes options of a variant."""
    terminal = Terminal(game)
    for typed, begins in [("new p\t\t", "pie=o"), ("new inversion:4,or\t", "order="), ("new inversion k\t", "komi=")]:
        terminal.expect("Black> ")
        terminal.type(typed)
        terminal.expect(begins)
        terminal.type("\x15\r")
    terminal.expect("Black> ")
    terminal.type("new Inversion:4,order=a\t,p\t")
    terminal.expect("alternate,pie=o")
    terminal.type("n\r")
    terminal.expect("inversion:4,order=alternate,pie=on: ")
    terminal.type("quit\r")
    terminal.end(0)


main(sys.argv[1])
