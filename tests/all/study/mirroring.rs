//! Games against a player who mirrors, and their figures.

use std::fs;
use std::path::Path;

use pentalith::games;
use pentalith::record::GameRecord;
use pentalith::rules::{Board, Color, Step};
use pentalith::study::mirroring::{MirrorGame, MirroringStrategy};
use pentalith::study::plan::Request;
use pentalith::study::player::Conditions;
use pentalith::study::reflection::mirrored;
use serde_json::Value;

use super::{files, played, refused, reported, run, small, study, variant};

/// The reflection of a move, if it is legal and the whole of a move.
fn copy(board: &dyn Board, text: &str) -> Option<Vec<Step>> {
    let mut here = board.fork();
    let mut steps = Vec::new();
    for text in mirrored(board.shape(), text).split(',') {
        if here.side() != board.side() {
            return None;
        }
        let mut legal = Vec::new();
        here.steps(&mut legal);
        let step = legal.into_iter().find(|&step| here.write_step(step) == text)?;
        here.make(step);
        steps.push(step);
    }
    (here.count() == 0 || here.side() != board.side()).then_some(steps)
}

fn conditions(text: &str, nodes: u64, random_steps: u32) -> Conditions {
    Conditions { mirroring: true, ..Conditions::new(&variant(text), nodes, random_steps, 3) }
}

fn of(game: &GameRecord, conditions: &Conditions) -> Result<MirrorGame, String> {
    let board = games::open(&conditions.variant).unwrap();
    MirrorGame::of(game, &*board, conditions.mirror(game.game).unwrap())
}

#[test]
fn every_move_that_can_be_mirrored_is() {
    let mut all = 0;
    for text in
        ["invector:5x4", "gravel:3", "gravel:4,pie=on", "markane:4x4", "inversion:3,order=alternate", "invictus"]
    {
        let conditions = conditions(text, 6, 3);
        let records = played(&conditions, 4, 1);
        assert_eq!(records, played(&conditions, 4, 2), "{text}");
        for game in &records {
            let mut board = games::open(&conditions.variant).unwrap();
            let first = board.variant().info().first;
            let mirror = if game.game % 2 == 1 { !first } else { first };
            assert_eq!(game.seat(mirror).engine, "mirror", "{text}");
            assert_eq!(game.seat(!mirror).engine, board.variant().info().method.name(), "{text}");
            let (mut replies, mut copies) = (0, 0);
            let mut last: Option<(Color, &str)> = None;
            for made in &game.moves {
                let side = board.side();
                if let Some((other, before)) = last.filter(|_| side == mirror)
                    && other != mirror
                {
                    replies += 1;
                    if let Some(steps) = copy(&*board, before) {
                        copies += 1;
                        let texts: Vec<&str> = made.text.split(',').collect();
                        assert_eq!(texts.len(), steps.len(), "{text}: {}", game.game);
                        assert_eq!(made.text, mirrored(board.shape(), before), "{text}");
                    }
                }
                last = Some((side, &made.text));
                for step in made.text.split(',') {
                    let step = board.find_step(step).unwrap();
                    board.make(step);
                }
            }
            let found = of(game, &conditions).unwrap();
            assert_eq!((found.replies, found.mirrored), (replies, copies), "{text}");
            assert_eq!(found.moves_first, mirror == first);
            assert_eq!(found.half_points, game.half_points(mirror));
            all += copies;
        }
    }
    assert!(all > 100, "{all}");
    // The set-up of the dice is copied as a whole.
    let game = &played(&conditions("invictus", 0, 0), 1, 1)[0];
    let board = games::open(&variant("invictus")).unwrap();
    assert_eq!(mirrored(board.shape(), &game.moves[0].text), game.moves[1].text);
}

#[test]
fn a_record_that_does_not_mirror_is_refused() {
    let conditions = conditions("markane:4x4", 6, 2);
    let plain = Conditions { mirroring: false, ..conditions.clone() };
    let errors = played(&plain, 6, 1);
    let errors = errors.iter().filter_map(|game| of(game, &conditions).err());
    let errors: Vec<String> = errors.collect();
    assert!(errors.len() > 3);
    let words = "does not mirror";
    assert!(errors.iter().all(|why| why.contains(words)), "{errors:?}");
}

/// Adds the exact score of a player who mirrors and else plays at random, against random play.
fn exact(board: &mut dyn Board, mirror: Color, last: Option<&str>, probability: f64) -> f64 {
    let count = board.count();
    if count == 0 {
        let winner = board.outcome().unwrap().winner;
        return probability * winner.map_or(0.5, |winner| f64::from(u8::from(winner == mirror)));
    }
    let ply = board.ply();
    let reply = last.filter(|_| board.side() == mirror && board.side_at(ply - 1) != mirror);
    if let Some(steps) = reply.and_then(|text| copy(board, text)) {
        steps.iter().for_each(|&step| {
            board.make(step);
        });
        let text = mirrored(board.shape(), reply.unwrap());
        let sum = exact(board, mirror, Some(&text), probability);
        steps.iter().for_each(|_| {
            board.unmake();
        });
        return sum;
    }
    let mut sum = 0.0;
    for place in 0..count {
        let step = board.nth(place).unwrap();
        let text = board.write_step(step);
        // A move goes on as long as its player does.
        let text = match last {
            Some(last) if board.side_at(ply.saturating_sub(1)) == board.side() && ply > 0 => {
                format!("{last},{text}")
            }
            _ => text,
        };
        board.make(step);
        sum += exact(board, mirror, Some(&text), probability / count as f64);
        board.unmake();
    }
    sum
}

#[test]
fn random_mirroring_agrees_with_exact_probabilities() {
    for text in ["markane:3x2", "invector:3x2,pie=off", "markane:4x2"] {
        let conditions = conditions(text, 0, 0);
        let board = games::open(&conditions.variant).unwrap();
        let first = board.variant().info().first;
        let records = played(&conditions, 4000, 2);
        let found: Vec<MirrorGame> = records
            .iter()
            .map(|game| MirrorGame::of(game, &*board, conditions.mirror(game.game).unwrap()).unwrap())
            .collect();
        let figures = MirroringStrategy::of(&found).unwrap();
        assert_eq!(figures.games, 4000);
        let truth = [first, !first].map(|mirror| exact(&mut *board.fork(), mirror, None, 1.0));
        let seats = [figures.moving_first.unwrap(), figures.moving_second.unwrap()];
        for (truth, seat) in truth.into_iter().zip(seats) {
            let estimate = seat.estimate;
            let room = estimate.high - estimate.low;
            assert!((estimate.value - truth).abs() <= room, "{text}: {truth}: {estimate:?}");
        }
        let both = (truth[0] + truth[1]) / 2.0;
        let estimate = figures.score.estimate;
        assert!((estimate.value - both).abs() <= estimate.high - estimate.low);
    }
}

#[test]
fn each_seat_mirrors_in_half_of_the_games() {
    // Black, who moves second, always wins on this board.
    let conditions = conditions("inversion:2", 2, 0);
    let records = played(&conditions, 6, 1);
    let found = records.iter().map(|game| of(game, &conditions).unwrap());
    let figures = MirroringStrategy::of(&found.collect::<Vec<_>>()).unwrap();
    assert_eq!(figures.score.estimate.value, 0.5);
    assert_eq!(figures.moving_first.unwrap().estimate.value, 0.0);
    assert_eq!(figures.moving_second.unwrap().estimate.value, 1.0);
    let mirrored = figures.mirrored.unwrap();
    assert!(0.0 <= mirrored.low && mirrored.low < mirrored.high && mirrored.high <= 1.0);
    assert_eq!(MirroringStrategy::of(&[]), None);
}

fn strategies(path: &Path) -> Vec<Value> {
    let json: Value = serde_json::from_slice(&files(path)["study.json"]).unwrap();
    let strengths = json["strengths"].as_array().unwrap().iter();
    strengths.map(|figures| figures["mirroring_strategy"].clone()).collect()
}

#[test]
fn games_of_mirroring_belong_to_a_study() {
    let (request, expected) = small();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let fill = || {
        for (name, bytes) in &expected {
            fs::write(path.join(name), bytes).unwrap();
        }
    };
    fill();
    // A pair for each eight games that were begun.
    let games: Vec<u64> = strategies(path).iter().map(|figures| figures["games"].as_u64().unwrap()).collect();
    assert_eq!(games, [4, 4, 2]);
    let report = String::from_utf8(expected["report.html"].clone()).unwrap();
    assert!(report.contains("Score of a player who mirrors, by strength"));
    assert!(report.contains("Tweedledum"));
    // A folder without them is reported without the figure, and completed to the same bytes.
    let names = ["mirror-0.txt", "mirror-8.txt", "mirror-64.txt"];
    for name in names {
        fs::remove_file(path.join(name)).unwrap();
    }
    reported(path, &Request::default(), &mut |_| ()).unwrap();
    assert!(strategies(path).iter().all(Value::is_null));
    let without = String::from_utf8(files(path)["report.html"].clone()).unwrap();
    assert!(without.contains("There are no games against a player who mirrors"));
    study(path, &request, 2);
    assert_eq!(files(path), expected);
    // If some are there, the others must be.
    fs::remove_file(path.join("mirror-8.txt")).unwrap();
    let error = reported(path, &Request::default(), &mut |_| ()).unwrap_err();
    let words = "4 games (1, 2, 3, 4) are missing of mirroring at strength 8: play them";
    assert!(error.to_string().contains(words), "{error}");
    // Nor may the games of the study be fewer than those against a player who mirrors say.
    fs::remove_file(path.join("games-8.txt")).unwrap();
    fs::write(path.join("mirror-8.txt"), &expected["mirror-8.txt"]).unwrap();
    let error = reported(path, &Request::default(), &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("missing at strength 8:"), "{error}");
    // Games of other conditions, of another program and against the rules are refused.
    let text = String::from_utf8(expected["mirror-8.txt"].clone()).unwrap();
    let cases = [
        (text.replacen("n=", "n=1", 1), "game 1 is not the one that this program plays"),
        (text.replace("nodes 8", "nodes 9"), "the strength was nodes 9 and is now nodes 8"),
        (
            text.replace("mirroring, ", "study, "),
            "the opening was study, random-steps 2 from turn 3 and is now mirroring,",
        ),
    ];
    for (text, words) in cases {
        fill();
        fs::write(path.join("mirror-8.txt"), &text).unwrap();
        refused(path, &request, words);
    }
    fill();
    fs::write(path.join("mirror-8.txt"), &expected["games-8.txt"]).unwrap();
    refused(path, &request, "mirror-8.txt: game 1 is another study's");
    // Shards have them, too.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for shard in [(1, 2), (2, 2)] {
        run(path, &request, Some(shard), 1).unwrap();
    }
    fs::remove_file(path.join("mirror-0.shard-2-of-2.txt")).unwrap();
    let error = reported(path, &Request::default(), &mut |_| ()).unwrap_err();
    let words = "at least 2 games (2, 4) are missing of mirroring at strength 0 (no file of shard 2/2)";
    assert!(error.to_string().contains(words), "{error}");
}
