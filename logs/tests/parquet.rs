//! Parquet files, read back by the library's reader of rows.

use std::io::Write;
use std::sync::Arc;

use game::games;
use logs::export::parquet::{write_decisions, write_hands};
use logs::{DecisionRecord, Fallback, LedgerError};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use crate::hands;

fn rows(bytes: &[u8]) -> Vec<parquet::record::Row> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    reader.get_row_iter(None).unwrap().collect::<Result<_, _>>().unwrap()
}

#[test]
fn hands_come_back_row_by_row() {
    let def = Arc::new(games::nolimit_holdem());
    let info = hands::info(&def, 300, true);
    let records = hands::random_hands(&def, 300, 2, 7);
    let mut file = Vec::new();
    let hands = records.iter().cloned().map(Ok::<_, LedgerError>);
    assert_eq!(write_hands(&info, hands, &mut file).unwrap(), 300);
    let rows = rows(&file);
    assert_eq!(rows.len(), 600);
    for (row, (record, seat)) in
        rows.iter().zip(records.iter().flat_map(|record| [(record, 0), (record, 1)]))
    {
        assert_eq!(row.get_long(0).unwrap(), record.hand as i64);
        assert_eq!(row.get_int(2).unwrap(), seat);
        let seat = game::Seat::new(seat as usize).unwrap();
        assert_eq!(row.get_string(6).unwrap(), &record.hole[seat].to_string());
        assert_eq!(row.get_string(8).unwrap(), &game::notation::betting(&record.public));
        assert_eq!(row.get_bool(10).unwrap(), record.public.is_showdown());
        assert_eq!(row.get_double(11).unwrap(), record.payoffs[seat].chips());
    }
}

#[test]
fn decisions_come_back_with_what_is_missing_null() {
    let def = Arc::new(games::kuhn());
    let info = hands::info(&def, 2, false);
    let plain = DecisionRecord {
        hand: 1,
        index: 0,
        entrant: 1,
        seat: game::Seat::new(0).unwrap(),
        action: game::Action::RaiseTo(7),
        corrected_from: None,
        fallback: None,
        strategy: None,
        values: Vec::new(),
        note: None,
        beyond_model: false,
        elapsed: std::time::Duration::from_micros(5),
    };
    let full = DecisionRecord {
        corrected_from: Some(game::Action::Fold),
        fallback: Some(Fallback::BadAnswer),
        strategy: Some(game::Strategy { actions: vec![(game::Action::Call, 0.25)] }),
        values: vec![(game::Action::Call, -1.5)],
        note: Some("why\n\"so\"".to_owned()),
        ..plain.clone()
    };
    let mut file = Vec::new();
    let made = [plain, full].map(Ok::<_, LedgerError>).into_iter();
    assert_eq!(write_decisions(&info, made, &mut file).unwrap(), 2);
    let rows = rows(&file);
    let text = |row: usize, column: usize| rows[row].get_string(column).ok().cloned();
    assert_eq!(text(0, 5).as_deref(), Some("r7"));
    assert_eq!([6, 7, 8, 9, 10].map(|column| text(0, column)), [const { None }; 5]);
    let found = [6, 7, 8, 9, 10].map(|column| text(1, column).unwrap());
    assert_eq!(found, ["f", "bad-answer", "[[\"c\",0.25]]", "[[\"c\",-1.5]]", "why\n\"so\""]);
    assert_eq!(rows[1].get_long(11).unwrap(), 5000);
}
