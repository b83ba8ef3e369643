//! The log: to standard error as `RUST_LOG` asks, or every line received and sent, appended to a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use env_logger::{Builder, Env, Target};
use log::LevelFilter;

use super::{Cli, CliError, usage};
use crate::files;
use crate::text::visible;

/// Path of standard input, to compare with the log file.
const STANDARD_INPUT: &str = "/dev/stdin";

/// Starts logging as the command line and `RUST_LOG` ask.
///
/// Without either, only warnings are shown, as plain sentences.
pub(super) fn start(cli: &Cli, errors: impl Write + Send + 'static) -> Result<(), CliError> {
    let mut builder = Builder::from_env(Env::default().default_filter_or("warn"));
    if let Some(path) = &cli.log {
        if path.as_os_str() == files::STANDARD {
            return usage("--log - would mix the log with the answers: expected the name of a file");
        }
        let standard_input = PathBuf::from(STANDARD_INPUT);
        let mut used = cli.files.iter().chain([&standard_input]);
        if let Some(file) = used.find(|file| files::is_same(path, file)) {
            return usage(format!(
                "--log {} is also read or written by this command as {}: expected another file",
                path.display(),
                file.display()
            ));
        }
        let file = open(path).map_err(|error| CliError::NotWritten(path.clone(), error).into_usage())?;
        let mut file = LogFile { path: path.clone(), file, errors, is_told: false };
        // A log that can't be written is reported once, and stops nothing.
        let _ = file.write_all(first_line().as_bytes());
        builder.target(Target::Pipe(Box::new(file)));
        if std::env::var_os("RUST_LOG").is_none() {
            builder.filter_level(LevelFilter::Debug);
        }
    }
    let is_plain = cli.log.is_none() && std::env::var_os("RUST_LOG").is_none();
    builder.format(move |line, record| {
        if is_plain {
            writeln!(line, "pentalith: {}", record.args())
        } else {
            let now = humantime::format_rfc3339_micros(SystemTime::now());
            let (level, target) = (record.level(), record.target());
            writeln!(line, "[{now} {level:<5} {target}] {}", record.args())
        }
    });
    // A second call in one process keeps the first logger.
    let _ = builder.try_init();
    Ok(())
}

/// Opens a file for appending: any kind of file, also a pipe or a terminal.
fn open(path: &Path) -> io::Result<File> {
    let is_plain = std::fs::metadata(path).map_or(true, |found| found.is_file());
    let mut options = File::options();
    options.append(true).create(true).read(is_plain);
    #[cfg(unix)]
    if !is_plain {
        // Opening a pipe without a reader would block forever: make it an error.
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    let mut file = options.open(path)?;
    if is_plain {
        files::end_line(&mut file)?;
    } else {
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&file, false)?;
    }
    Ok(file)
}

/// Returns the first line of a log: time, version and command line.
fn first_line() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now());
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let words = words.iter().map(String::as_str);
    // Only a zero byte can't be quoted, and no command line holds one.
    let command = shlex::try_join(words).unwrap_or_default();
    let command = visible(&command);
    format!("[{now} pentalith {}] {command}\n", env!("CARGO_PKG_VERSION"))
}

/// A log file that reports its first write error on standard error.
struct LogFile<E> {
    path: PathBuf,
    file: File,
    errors: E,
    is_told: bool,
}

impl<E: Write> LogFile<E> {
    fn tell<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &written
            && error.kind() != io::ErrorKind::Interrupted
            && !std::mem::replace(&mut self.is_told, true)
        {
            // Standard error may be closed.
            let _ = writeln!(self.errors, "pentalith: can't write to the log {}: {error}", self.path.display());
        }
        written
    }
}

impl<E: Write> Write for LogFile<E> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.tell(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.tell(flushed)
    }
}
