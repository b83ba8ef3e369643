//! Reading and writing files.
//!
//! Reading is bounded, whatever the path names. Output files are checked before the work starts whose result they
//! will hold. Only regular files are overwritten: a result replaces the old file atomically, records are appended.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Byte order mark, which some editors write at the beginning of a text.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Maximum size of a regular file, in bytes.
const MAX_PLAIN: u64 = 4 << 30;

/// Maximum number of bytes read from a pipe, a terminal or a device, which may never end.
const MAX_STREAM: u64 = 512 << 20;

/// Maximum number of symbolic links to follow, as on Linux.
const MAX_LINKS: usize = 40;

/// Prefix of temporary files. Each is renamed or deleted once it is written.
const TEMPORARY: &str = ".pentalith-";

/// The name that stands for standard input where a file is read. As a file to write it is refused.
pub const STANDARD: &str = "-";

/// Strips byte order marks from the beginning of a text or a line.
pub fn without_mark(text: &str) -> &str {
    text.trim_start_matches(BYTE_ORDER_MARK)
}

/// Reads all bytes of a file, or of standard input if its name is [`STANDARD`].
///
/// # Errors
/// If it can't be read, or is larger than 4 GiB (512 MiB if it is not a regular file).
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path == Path::new(STANDARD) { read_stream(&mut io::stdin().lock()) } else { read_open(&mut File::open(path)?) }
}

/// Reads all bytes of a pipe, a terminal or a device.
fn read_stream(input: &mut impl Read) -> io::Result<Vec<u8>> {
    read_up_to(input, MAX_STREAM, "not a plain file")
}

fn read_up_to(input: &mut impl Read, most: u64, what: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_much(most, what)) } else { Ok(bytes) }
}

fn too_much(most: u64, what: &str) -> io::Error {
    let why = format!("more than {} MiB are not read from {what}", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

/// Reads all bytes of an open file.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: &mut File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return read_stream(file);
    }
    let what = "a plain file";
    if metadata.len() > MAX_PLAIN { Err(too_much(MAX_PLAIN, what)) } else { read_up_to(file, MAX_PLAIN, what) }
}

/// Reads a text file and strips byte order marks from the beginnings of its lines.
///
/// Concatenated files hold several marks. Invalid UTF-8 becomes replacement characters.
///
/// # Errors
/// As [`read`].
pub fn read_text(path: &Path) -> io::Result<String> {
    read(path).map(text_of)
}

/// Decodes the bytes of a file as [`read_text`] does.
pub fn text_of(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.contains(BYTE_ORDER_MARK) { text.split_inclusive('\n').map(without_mark).collect() } else { text }
}

/// Names the kind of a file that is not a regular file.
fn kind(file: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file.is_fifo() {
            return "a pipe";
        }
        if file.is_socket() {
            return "a socket";
        }
        if file.is_char_device() || file.is_block_device() {
            return "a device";
        }
    }
    if file.is_dir() { "a folder" } else { "something else" }
}

/// Checks that a path names a regular file, or no file yet.
///
/// # Errors
/// If it names anything else. The message calls the file `what`.
pub fn check_plain(path: &Path, what: &str) -> io::Result<()> {
    plain(path, what).map(|_| ())
}

/// Refuses the name of standard output.
fn check_not_standard(path: &Path, what: &str) -> io::Result<()> {
    if path == Path::new(STANDARD) {
        let why =
            format!("{what} can't be standard output: expected the name of a file, such as ./- for one with this name");
        return Err(io::Error::other(why));
    }
    Ok(())
}

fn plain(path: &Path, what: &str) -> io::Result<Option<Metadata>> {
    check_not_standard(path, what)?;
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(found) => Err(io::Error::other(format!("{what} must be a plain file, not {}", kind(found.file_type())))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that files can be created in a folder.
///
/// # Errors
/// If the folder does not exist, is not a folder, or is not writable.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    let shown = folder.display();
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(io::Error::other(format!("{shown} is not a folder"))),
        Err(error) => {
            let why = format!("no such folder: {shown}");
            return Err(io::Error::new(error.kind(), why));
        }
    }
    temporary(folder)?.close()
}

/// Checks that a folder exists or can be created, together with its parents.
///
/// # Errors
/// As [`check_folder`], for the closest folder that exists.
pub fn check_new_folder(folder: &Path) -> io::Result<()> {
    check_not_standard(folder, "a folder")?;
    let known = folder.ancestors().find(|known| known.exists());
    check_folder(known.filter(|known| *known != Path::new("")).unwrap_or(Path::new(".")))
}

/// Returns the folder of a file.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Creates a temporary file in a folder. It is deleted on drop unless it is persisted.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    builder.tempfile_in(folder).map_err(|error| {
        let (folder, kind) = (folder.display(), error.kind());
        io::Error::new(kind, format!("no file can be made in {folder}: {kind}"))
    })
}

/// Follows symbolic links. The target need not exist.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            // Not a link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns true if two paths name the same regular file, or the same file that does not exist yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a_found), Ok(b_found)) => {
            a_found.is_file() && b_found.is_file() && {
                #[cfg(unix)]
                {
                    use std::os::unix::fs::MetadataExt;
                    let identity = |found: &Metadata| (found.dev(), found.ino());
                    identity(&a_found) == identity(&b_found)
                }
                #[cfg(not(unix))]
                {
                    fs::canonicalize(a).ok() == fs::canonicalize(b).ok()
                }
            }
        }
        (Err(_), Err(_)) => {
            let target = |path: &Path| {
                let path = followed(path).ok()?;
                let folder = fs::canonicalize(folder_of(&path)).ok()?;
                Some(folder.join(path.file_name()?))
            };
            a == b || target(a).is_some_and(|of_a| Some(of_a) == target(b))
        }
        _ => false,
    }
}

/// Opens a regular file for appending lines, and creates it if it does not exist.
///
/// # Errors
/// If it can't be opened, or is not a regular file. The message calls the file `what`.
pub fn append_lines(path: &Path, what: &str) -> io::Result<File> {
    check_plain(path, what)?;
    let mut options = File::options();
    options.read(true).create(true).append(true);
    let mut file = options.open(path)?;
    end_line(&mut file)?;
    Ok(file)
}

/// Appends a newline if the last line of a file lacks one.
///
/// # Errors
/// If the file can't be read or written.
pub fn end_line(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    match last {
        [b'\n'] => Ok(()),
        _ => file.write_all(b"\n"),
    }
}

/// A regular file that a result will replace.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    what: String,
}

impl Target {
    /// Checks that a file can be replaced, and changes nothing. Symbolic links are followed.
    ///
    /// # Errors
    /// If it can't be written, or is not a regular file. The message calls the file `what`.
    pub fn new(path: &Path, what: &str) -> io::Result<Self> {
        let found = plain(path, what)?;
        let path = match found {
            Some(_) => fs::canonicalize(path)?,
            None => followed(path)?,
        };
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if is_folder || path.file_name().is_none() {
            let why = format!("{what} must be a plain file, not a folder");
            return Err(io::Error::other(why));
        }
        if found.is_some() {
            // Renaming would replace a read-only file: opening it for writing refuses that.
            File::options().write(true).open(&path)?;
        }
        check_folder(folder_of(&path))?;
        let what = what.to_owned();
        Ok(Self { path, what })
    }

    /// Replaces the content atomically. Owner and permissions stay.
    ///
    /// # Errors
    /// If the new content can't be written. The old content is still there then.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        self.replace_with(|file| file.write_all(content))
    }

    /// Replaces the content atomically by what `write` writes. Owner and permissions stay.
    ///
    /// # Errors
    /// If the new content can't be written. The old content is still there then.
    pub fn replace_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut new = temporary(folder_of(&self.path))?;
        write(&mut new)?;
        // The path may name something else by now.
        if let Some(old) = plain(&self.path, &self.what)? {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt, fchown};
                // Only root may give a file away.
                let _ = fchown(new.as_file(), Some(old.uid()), Some(old.gid()));
            }
            new.as_file().set_permissions(old.permissions())?;
        }
        new.as_file().sync_all()?;
        new.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Replaces a regular file, or creates it.
///
/// # Errors
/// As [`Target::new`] and [`Target::replace`].
pub fn write(path: &Path, what: &str, content: &[u8]) -> io::Result<()> {
    Target::new(path, what)?.replace(content)
}
