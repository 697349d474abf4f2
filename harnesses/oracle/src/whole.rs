//! Files that are whole or absent. What is written goes into a temporary file in the same folder, which takes the name at
//! the end: whoever looks finds the old file or the new one, and after an interruption the old one.

use crate::output::{Failure, visible_path};
use crate::system::read_bytes_if_there;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where a file will be. That it can be written has been tried; nothing has changed yet.
pub struct Target {
    /// As it was asked for.
    asked: PathBuf,
    /// The file itself, links followed.
    path: PathBuf,
    place: Place,
}

enum Place {
    /// A file, written beside the old one.
    Beside(Temporary),
    /// A pipe or a device: there is no old one to keep.
    Through(File),
}

/// A file without its name.
struct Temporary {
    file: File,
    /// What it is called for now; none as long as it is called nothing.
    name: Option<PathBuf>,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = fs::remove_file(name);
        }
    }
}

/// A path without links and detours, where its folder is there.
fn resolved(path: &Path) -> Option<PathBuf> {
    let beside = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(beside)
}

/// Two results need two files, and what is read must not be replaced by what is written.
pub fn apart<'p>(targets: &[Option<&Target>], read: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut taken: Vec<PathBuf> = read.into_iter().filter_map(resolved).collect();
    for target in targets.iter().flatten() {
        let Some(file) = target.file() else { continue };
        if taken.contains(&file) {
            let shown = visible_path(&target.asked);
            return Err(Failure::input("file", format!("{shown} is read, or written twice: name another file")));
        }
        taken.push(file);
    }
    Ok(())
}

/// What is said where a file cannot be written.
fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::input("file", format!("cannot write {}: {error}", visible_path(path)))
}

impl Target {
    /// Tries that a file can be written here, before the work begins whose result it is.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Target::try_open(path).map_err(|error| unwritable(path, &error))
    }

    fn try_open(asked: &Path) -> io::Result<Self> {
        let open = || OpenOptions::new().write(true).open(asked);
        let path = match fs::metadata(asked) {
            Ok(there) if there.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() || is_descriptor(asked) => {
                let place = Place::Through(open()?);
                return Ok(Target { asked: asked.to_owned(), path: asked.to_owned(), place });
            }
            Ok(_) => {
                // A file that may not be changed may not be replaced either.
                open()?;
                fs::canonicalize(asked)?
            }
            Err(error) if error.kind() == ErrorKind::NotFound && !asked.is_symlink() => asked.to_owned(),
            Err(error) => return Err(error),
        };
        let place = Place::Beside(Temporary::beside(&path)?);
        Ok(Target { asked: asked.to_owned(), path, place })
    }

    /// The file that it will be, whichever way it was asked for; none for a pipe or a device.
    fn file(&self) -> Option<PathBuf> {
        matches!(self.place, Place::Beside(_)).then(|| resolved(&self.path)).flatten()
    }

    /// Writes what the file will hold. Its name still leads to the old one.
    pub fn fill(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &mut self.place {
            Place::Beside(it) => it.file.write_all(bytes).and_then(|()| it.file.sync_all()),
            Place::Through(file) => file.write_all(bytes).and_then(|()| file.flush()),
        };
        written.map_err(|error| unwritable(&self.asked, &error))
    }

    /// Puts it in the place of the old one.
    pub fn keep(self) -> Result<(), Failure> {
        let Target { asked, path, place } = self;
        match place {
            Place::Beside(temporary) => temporary.keep(&path).map_err(|error| unwritable(&asked, &error)),
            Place::Through(_) => Ok(()),
        }
    }

    /// Writes all of it, and puts it in its place.
    pub fn write(mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.fill(bytes)?;
        self.keep()
    }
}

/// Is this a name for an open file, such as `/dev/stdout`? What it leads to belongs to somebody who goes on writing.
fn is_descriptor(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder))
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Temporary {
    /// An empty file in the folder of another.
    fn beside(path: &Path) -> io::Result<Self> {
        if let Ok(file) = nameless(folder(path)) {
            return Ok(Temporary { file, name: None });
        }
        let name = Temporary::new_name(path)?;
        let file = OpenOptions::new().write(true).create_new(true).open(&name)?;
        Ok(Temporary { file, name: Some(name) })
    }

    /// A hidden name beside another that nobody else uses.
    fn new_name(path: &Path) -> io::Result<PathBuf> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = path.file_name().ok_or(ErrorKind::InvalidFilename)?;
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}.tmp", std::process::id()));
        Ok(path.with_file_name(hidden))
    }

    /// Gives it the name it was made for.
    fn keep(mut self, path: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(path) {
            self.file.set_permissions(old.permissions())?;
        }
        if self.name.is_none() {
            let name = Temporary::new_name(path)?;
            give_name(&self.file, &name)?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            fs::rename(name, path)?;
        }
        self.name = None;
        // The name is on the disk when the folder is; where a folder cannot be opened, that is the system's affair.
        if let Ok(folder) = File::open(folder(path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// A file in a folder that has no name there: whatever ends this process, nothing of it stays.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Without /proc it could never be given a name.
    fs::metadata("/proc/self/fd")?;
    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    OpenOptions::new().write(true).custom_flags(flags).open(folder)
}

#[cfg(target_os = "linux")]
fn give_name(file: &File, name: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(nix::unistd::linkat(AT_FDCWD, open.as_str(), AT_FDCWD, name, AtFlags::AT_SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn give_name(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// Writes several files, folders included. None takes its name before all are written.
pub fn write_all<'a>(files: impl IntoIterator<Item = (PathBuf, &'a [u8])>) -> Result<(), Failure> {
    let mut targets = Vec::new();
    for (path, bytes) in files {
        make_folder(folder(&path))?;
        let mut target = Target::open(&path)?;
        target.fill(bytes)?;
        targets.push(target);
    }
    targets.into_iter().try_for_each(Target::keep)
}

/// Makes a folder, unless it is there.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))
}

/// Tries that files can be written into this folder, and makes it.
pub fn try_folder(folder: &Path) -> Result<(), Failure> {
    make_folder(folder)?;
    Temporary::beside(&folder.join("file")).map(drop).map_err(|error| unwritable(folder, &error))
}

/// A file of lines that grows at its end.
pub struct Appended {
    path: PathBuf,
}

impl Appended {
    /// Tries that lines can be added.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let appended = Appended { path: path.to_owned() };
        appended.before(&Target::open(path)?)?;
        Ok(appended)
    }

    /// What the file has already: no more than a file of cases may have.
    fn before(&self, target: &Target) -> Result<Vec<u8>, Failure> {
        match &target.place {
            Place::Through(_) => Ok(Vec::new()),
            Place::Beside(_) => Ok(read_bytes_if_there(&target.path)?.unwrap_or_default()),
        }
    }

    /// Adds a line. Others may be adding theirs: each waits for the others.
    pub fn line(&self, line: &str) -> Result<(), Failure> {
        let folder = File::open(folder(&self.path));
        // Where folders cannot be locked, one adds at a time.
        let _locked = folder.as_ref().is_ok_and(|folder| folder.lock().is_ok());
        let target = Target::open(&self.path)?;
        let mut bytes = self.before(&target)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend(line.bytes().chain(*b"\n"));
        target.write(&bytes)
    }
}
