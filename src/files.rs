//! Floor 0: the files that the program reads and writes.
//!
//! What is read has a bound, whatever stands behind the name. What will be written is checked before the work that it
//! is for begins, and nothing but a plain file is ever written over: a result replaces one in a single step, and records
//! are added to it.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Written by some editors at the beginning of a text; it is no part of it.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// The most that is read from a plain file, in bytes.
const MAX_PLAIN: u64 = 4 << 30;

/// The most that is read from a pipe, a terminal or a device, some of which have no end, in bytes.
const MAX_STREAM: u64 = 512 << 20;

/// How many symbolic links may lead to a file, as under Linux.
const MAX_LINKS: usize = 40;

/// How the names of temporary files begin; each is gone, or renamed, once it is written.
const TEMPORARY: &str = ".pentalith-";

/// A text, or a line of one, without byte order marks at its beginning.
pub fn without_mark(text: &str) -> &str {
    text.trim_start_matches(BYTE_ORDER_MARK)
}

/// Reads all bytes of a file.
///
/// # Errors
/// Where it can't be read, or has more than 4 GiB: 512 MiB where it is no plain file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_open(&mut File::open(path)?)
}

/// Reads all bytes of an open file.
///
/// # Errors
/// As [`read`].
pub fn read_open(file: &mut File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    let (most, what) = match metadata.is_file() {
        true => (MAX_PLAIN, "a plain file"),
        false => (MAX_STREAM, "what is no plain file"),
    };
    let too_much = || {
        let why = format!("more than {} MiB are not read from {what}", most >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, why)
    };
    if metadata.is_file() && metadata.len() > most {
        return Err(too_much());
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_much()),
        false => Ok(bytes),
    }
}

/// Reads a text without the byte order marks at the beginnings of its lines; files that were put together have several.
/// Bytes that are no UTF-8 become replacement characters.
///
/// # Errors
/// As [`read`].
pub fn read_text(path: &Path) -> io::Result<String> {
    read(path).map(text_of)
}

/// The text of the bytes of a file ([`read_text`]).
pub fn text_of(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    match text.contains(BYTE_ORDER_MARK) {
        true => text.split_inclusive('\n').map(without_mark).collect(),
        false => text,
    }
}

/// What a file is that is not plain.
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
    match file.is_dir() {
        true => "a folder",
        false => "something else",
    }
}

/// Makes sure that behind a name stands a plain file, or nothing yet.
///
/// # Errors
/// Says what `what` must be and what stands there.
pub fn check_plain(path: &Path, what: &str) -> io::Result<()> {
    plain(path, what).map(|_| ())
}

fn plain(path: &Path, what: &str) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(found) => Err(io::Error::other(format!(
            "{what} must be a plain file, not {}",
            kind(found.file_type())
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes sure that files can be made in a folder.
///
/// # Errors
/// Says why not.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    let shown = folder.display();
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => {}
        Ok(_) => return Err(io::Error::other(format!("{shown} is no folder"))),
        Err(error) => {
            let why = format!("there is no such folder: {shown}");
            return Err(io::Error::new(error.kind(), why));
        }
    }
    temporary(folder)?.close()
}

/// Makes sure that a folder is there or can be made, with those above it, and files in it.
///
/// # Errors
/// Says why not.
pub fn check_new_folder(folder: &Path) -> io::Result<()> {
    let known = folder.ancestors().find(|known| known.exists());
    check_folder(
        known
            .filter(|known| *known != Path::new(""))
            .unwrap_or(Path::new(".")),
    )
}

/// The folder of a file.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// A new file in a folder, which is deleted again unless it is kept.
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

/// Where the links behind a name lead, whether or not something stands there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            // It is no link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether two names are of the same plain file, or of a file that is not there yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a_found), Ok(b_found)) => {
            a_found.is_file() && b_found.is_file() && {
                #[cfg(unix)]
                {
                    use std::os::unix::fs::MetadataExt;
                    let place = |found: &Metadata| (found.dev(), found.ino());
                    place(&a_found) == place(&b_found)
                }
                #[cfg(not(unix))]
                {
                    fs::canonicalize(a).ok() == fs::canonicalize(b).ok()
                }
            }
        }
        (Err(_), Err(_)) => {
            let place = |path: &Path| {
                let path = followed(path).ok()?;
                let folder = fs::canonicalize(folder_of(&path)).ok()?;
                Some(folder.join(path.file_name()?))
            };
            a == b || place(a).is_some_and(|place_of_a| Some(place_of_a) == place(b))
        }
        _ => false,
    }
}

/// Opens a plain file to add lines behind those that it has.
///
/// # Errors
/// Where it can't be opened, or `what` is not a plain file.
pub fn append_lines(path: &Path, what: &str) -> io::Result<File> {
    check_plain(path, what)?;
    let mut options = File::options();
    options.read(true).create(true).append(true);
    let mut file = options.open(path)?;
    end_line(&mut file)?;
    Ok(file)
}

/// Ends the last line of a file, if it was not written to its end.
///
/// # Errors
/// Where it can't be read or written.
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

/// A plain file that a result will be written to, in the place of what it holds.
#[derive(Debug)]
pub struct Target {
    path: PathBuf,
    what: String,
}

impl Target {
    /// Makes sure that a file can be written, and changes nothing. Symbolic links are followed.
    ///
    /// # Errors
    /// Says why it can't, or that `what` must be a plain file.
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
            // What nobody may write to is not replaced either.
            File::options().write(true).open(&path)?;
        }
        check_folder(folder_of(&path))?;
        let what = what.to_owned();
        Ok(Self { path, what })
    }

    /// Puts a new content in the place of the old one, which stays whole until the new one is. Owner and permissions
    /// stay.
    ///
    /// # Errors
    /// Where it can't be written; the old content is still there then.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        let mut new = temporary(folder_of(&self.path))?;
        new.write_all(content)?;
        // Much may have happened since.
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

/// Writes a file in the place of what it holds, if it is plain.
///
/// # Errors
/// Where it can't be written.
pub fn write(path: &Path, what: &str, content: &[u8]) -> io::Result<()> {
    Target::new(path, what)?.replace(content)
}
