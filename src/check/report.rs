//! The report: a row per check, written at once, with the exchanged lines below failures.

use std::io::{self, Write};
use std::path::PathBuf;

use super::{Check, Need, Summary, Verdict};
use crate::client::transcript::Transcript;
use crate::files;

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Row {
    /// Name of the check.
    pub name: &'static str,
    /// Importance of the check.
    pub need: Need,
    /// Reason for the check.
    pub why: &'static str,
    /// `pass`, `FAIL`, `skip` or `note`.
    pub verdict: &'static str,
    /// Details.
    pub message: String,
    /// The lines that were exchanged, unless the check passed or does not apply.
    pub dialogue: Vec<String>,
    /// A transcript of the smallest game that shows what is wrong.
    pub transcript: Option<String>,
}

pub(super) struct Report<'a> {
    /// `None` to write nothing.
    output: Option<&'a mut dyn Write>,
    verbose: bool,
    /// True to report figures of checks that passed: times and moves, which change from run to run.
    figures: bool,
    /// Folder for transcripts.
    transcripts: Option<PathBuf>,
    width: usize,
    rows: Vec<Row>,
    summary: Summary,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        output: Option<&'a mut dyn Write>,
        verbose: bool,
        figures: bool,
        transcripts: Option<PathBuf>,
    ) -> Self {
        Self { output, verbose, figures, transcripts, width: 0, rows: Vec::new(), summary: Summary::default() }
    }

    /// Sets the width of the column of names.
    pub(super) fn width<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.output {
            Some(output) => {
                output.write_all(text.as_bytes())?;
                output.flush()
            }
            None => Ok(()),
        }
    }

    pub(super) fn head(&mut self, text: &str) -> io::Result<()> {
        self.write(&format!("{text}\n\n"))
    }

    /// Writes a row. `proof` is a transcript that shows what is wrong, in place of the lines that were exchanged.
    pub(super) fn row<T>(
        &mut self,
        check: &Check<T>,
        verdict: &Verdict,
        transcript: &Transcript,
        proof: Option<String>,
    ) -> io::Result<()> {
        let Summary { passed, failed, skipped, noted } = &mut self.summary;
        let (word, message, count) = match verdict {
            Verdict::Passed(message) => ("pass", message, passed),
            Verdict::Failed(message) => ("FAIL", message, failed),
            Verdict::Skipped(message) => ("skip", message, skipped),
            Verdict::Noted(message) => ("note", message, noted),
        };
        *count += 1;
        let message = if word == "pass" && !self.figures { "" } else { message.as_str() };
        let row = format!("{word}  {:<width$}  {message}", check.name, width = self.width);
        let mut text = format!("{}\n", row.trim_end());
        let missed = matches!(verdict, Verdict::Failed(_) | Verdict::Noted(_));
        if missed {
            text.push_str(&format!("        why: {}\n", check.why));
        }
        let dialogue: Vec<String> = match &proof {
            Some(proof) => proof.lines().map(str::to_owned).collect(),
            None => transcript.lines().collect(),
        };
        if proof.is_some() {
            text.push_str("        the smallest game that shows it, as a transcript:\n");
        }
        if missed || self.verbose {
            text.extend(dialogue.iter().map(|line| format!("        {line}\n")));
        }
        if let (Some(folder), Some(proof)) = (&self.transcripts, &proof) {
            std::fs::create_dir_all(folder)?;
            let path = folder.join(format!("{}.transcript", check.name.replace(' ', "-")));
            files::write(&path, "the transcript", proof.as_bytes())?;
            text.push_str(&format!("        it is in {}\n", path.display()));
        }
        self.write(&text)?;
        let Check { name, need, why, .. } = *check;
        let dialogue = if missed && proof.is_none() { dialogue } else { Vec::new() };
        let message = message.to_owned();
        self.rows.push(Row { name, need, why, verdict: word, message, dialogue, transcript: proof });
        Ok(())
    }

    /// Writes the summary. Returns all rows and the summary.
    pub(super) fn end(mut self) -> io::Result<(Vec<Row>, Summary)> {
        let summary = self.summary;
        self.write(&format!("\n{summary}\n"))?;
        Ok((self.rows, summary))
    }
}
