//! Test results in the formats of other tools: TAP and JUnit.

use super::svg::escape;

/// Verdict on a test case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It could not be run to its end.
    Error,
    /// It does not apply.
    Skipped,
}

/// A test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Name.
    pub name: String,
    /// Verdict.
    pub verdict: Verdict,
    /// One line about it; may be empty.
    pub message: String,
    /// All that is known; may be empty.
    pub details: String,
}

/// Writes test cases in version 14 of the Test Anything Protocol.
pub fn tap(cases: &[Case]) -> String {
    let mut text = format!("TAP version 14\n1..{}\n", cases.len());
    for (number, case) in cases.iter().enumerate() {
        let ok = match case.verdict {
            Verdict::Passed | Verdict::Skipped => "ok",
            Verdict::Failed | Verdict::Error => "not ok",
        };
        // A hash sign would begin a directive.
        let name = case.name.replace('\\', "\\\\").replace('#', "\\#");
        let skip = match case.verdict {
            Verdict::Skipped => format!(" # SKIP {}", case.message),
            _ => String::new(),
        };
        text.push_str(&format!("{ok} {} - {name}{skip}\n", number + 1));
        if matches!(case.verdict, Verdict::Failed | Verdict::Error) {
            let message = case.message.replace('\\', "\\\\").replace('"', "\\\"");
            text.push_str(&format!("  ---\n  message: \"{message}\"\n"));
            if !case.details.is_empty() {
                text.push_str("  details: |\n");
                for line in case.details.lines() {
                    text.push_str(format!("    {line}").trim_end());
                    text.push('\n');
                }
            }
            text.push_str("  ...\n");
        }
    }
    text
}

/// Writes test cases in the XML of JUnit, as one suite.
pub fn junit(suite: &str, cases: &[Case]) -> String {
    let count = |verdict: Verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    let suite = escape(suite);
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count(Verdict::Failed),
        count(Verdict::Error),
        count(Verdict::Skipped)
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"{suite}\" {counts}>\n"
    );
    for case in cases {
        let (name, message) = (escape(&case.name), escape(&case.message));
        let details: Vec<String> = case.details.lines().map(escape).collect();
        let details = details.join("\n");
        text.push_str(&format!("    <testcase classname=\"{suite}\" name=\"{name}\""));
        let element = match case.verdict {
            Verdict::Passed => None,
            Verdict::Failed => Some("failure"),
            Verdict::Error => Some("error"),
            Verdict::Skipped => Some("skipped"),
        };
        match element {
            None => text.push_str("/>\n"),
            Some(element) => {
                text.push_str(&format!(">\n      <{element} message=\"{message}\">{details}</{element}>\n"));
                text.push_str("    </testcase>\n");
            }
        }
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}
