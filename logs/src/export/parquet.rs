//! Hands and decisions as Parquet files (<https://parquet.apache.org/docs/file-format/>), for
//! programs that work on tables: behind the cargo feature `parquet`.
//!
//! The table of hands has the columns of [`super::csv`], a row for each hand and seat; `chips` is a
//! double, `showdown` a boolean. The table of decisions has those of [`crate::decisions`] and
//! `name`; `strategy` is the JSON text of `decisions.jsonl`. Text is UTF-8, missing values are
//! null. Pages are compressed with Snappy.

use std::io::{Error, Write};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use game::notation;

use super::ExportError;
use crate::{DecisionRecord, HandRecord, MatchInfo, decisions};

/// Number of rows in a group, which is held in memory: some 20 MB.
const ROW_GROUP_SIZE: usize = 100_000;

const HANDS: &str = "message hands {
    required int64 hand;
    required int64 deal;
    required int32 seat;
    required binary position (string);
    required int32 entrant;
    required binary name (string);
    optional binary hole (string);
    required binary board (string);
    required binary betting (string);
    required binary street (string);
    required boolean showdown;
    required double chips;
}";

const DECISIONS: &str = "message decisions {
    required int64 hand;
    required int32 index;
    required int32 entrant;
    required binary name (string);
    required int32 seat;
    required binary action (string);
    optional binary corrected_from (string);
    optional binary fallback (string);
    optional binary strategy (string);
    optional binary values (string);
    optional binary note (string);
    required int64 elapsed_ns;
}";

/// A value, by the type of its column.
enum Value {
    Long(i64),
    Int(i32),
    Bool(bool),
    Double(f64),
    Text(String),
    Maybe(Option<String>),
}

/// A Parquet file being written.
struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// Buffered values by column, in the order of the schema.
    columns: Vec<Vec<Value>>,
    rows: usize,
}

fn io_error(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => Error::other(error),
        error => Error::other(error),
    }
}

impl<W: Write + Send> Table<W> {
    fn new(schema: &str, out: W) -> Result<Table<W>, ParquetError> {
        let schema = Arc::new(parse_message_type(schema)?);
        let columns = schema.get_fields().iter().map(|_| Vec::new()).collect();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Table { writer, columns, rows: 0 })
    }

    fn row<const N: usize>(&mut self, values: [Value; N]) -> Result<(), ParquetError> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.rows += 1;
        if self.rows.is_multiple_of(ROW_GROUP_SIZE) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for values in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            let values = std::mem::take(values);
            match values.first() {
                Some(Value::Long(_)) => {
                    let values: Vec<i64> = values.iter().filter_map(Value::long).collect();
                    column.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Some(Value::Int(_)) => {
                    let values: Vec<i32> = values.iter().filter_map(Value::int).collect();
                    column.typed::<Int32Type>().write_batch(&values, None, None)?;
                }
                Some(Value::Bool(_)) => {
                    let values: Vec<bool> = values.iter().filter_map(Value::boolean).collect();
                    column.typed::<BoolType>().write_batch(&values, None, None)?;
                }
                Some(Value::Double(_)) => {
                    let values: Vec<f64> = values.iter().filter_map(Value::double).collect();
                    column.typed::<DoubleType>().write_batch(&values, None, None)?;
                }
                Some(Value::Text(_)) => {
                    let values: Vec<ByteArray> =
                        values.into_iter().filter_map(Value::text).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
                Some(Value::Maybe(_)) => {
                    let there = |value: &Value| matches!(value, Value::Maybe(Some(_)));
                    let levels: Vec<i16> =
                        values.iter().map(|value| i16::from(there(value))).collect();
                    let values: Vec<ByteArray> =
                        values.into_iter().filter_map(Value::text).collect();
                    column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
                }
                None => {}
            }
            column.close()?;
        }
        group.close().map(drop)
    }

    fn finish(mut self) -> Result<(), ParquetError> {
        if !self.columns[0].is_empty() {
            self.flush()?;
        }
        self.writer.close().map(drop)
    }
}

impl Value {
    fn long(&self) -> Option<i64> {
        if let Value::Long(value) = self { Some(*value) } else { None }
    }

    fn int(&self) -> Option<i32> {
        if let Value::Int(value) = self { Some(*value) } else { None }
    }

    fn boolean(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    fn double(&self) -> Option<f64> {
        if let Value::Double(value) = self { Some(*value) } else { None }
    }

    fn text(self) -> Option<ByteArray> {
        match self {
            Value::Text(text) | Value::Maybe(Some(text)) => Some(text.into_bytes().into()),
            _ => None,
        }
    }
}

/// Writes the table of hands; gives the number of hands.
///
/// # Errors
/// When the hands cannot be read, or the file cannot be written.
pub fn write_hands<E: std::error::Error + 'static>(
    info: &MatchInfo,
    hands: impl Iterator<Item = Result<HandRecord, E>>,
    out: impl Write + Send,
) -> Result<u64, ExportError<E>> {
    let mut table = Table::new(HANDS, out).map_err(io_error)?;
    let mut count = 0;
    for record in hands {
        let record = record.map_err(ExportError::Source)?;
        count += 1;
        let public = &record.public;
        let (board, betting) = (public.board().to_string(), notation::betting(public));
        for (seat, &entrant) in record.entrants.iter() {
            let hole = &record.hole[seat];
            let row = [
                Value::Long(record.hand as i64),
                Value::Long(record.deal as i64),
                Value::Int(seat.index() as i32),
                Value::Text(public.def().position(seat).to_string()),
                Value::Int(entrant.into()),
                Value::Text(name(info, entrant)),
                Value::Maybe((!hole.is_empty()).then(|| hole.to_string())),
                Value::Text(board.clone()),
                Value::Text(betting.clone()),
                Value::Text(public.street().to_string()),
                Value::Bool(public.is_showdown()),
                Value::Double(record.payoffs[seat].chips()),
            ];
            table.row(row).map_err(io_error)?;
        }
    }
    table.finish().map_err(io_error)?;
    Ok(count)
}

/// Writes the table of decisions; gives the number of decisions.
///
/// # Errors
/// When the decisions cannot be read, or the file cannot be written.
pub fn write_decisions<E: std::error::Error + 'static>(
    info: &MatchInfo,
    decisions: impl Iterator<Item = Result<DecisionRecord, E>>,
    out: impl Write + Send,
) -> Result<u64, ExportError<E>> {
    let mut table = Table::new(DECISIONS, out).map_err(io_error)?;
    let mut count = 0;
    let mut line = String::new();
    for decision in decisions {
        let decision = decision.map_err(ExportError::Source)?;
        count += 1;
        line.clear();
        decisions::write_line(&decision, &mut line);
        // The texts are copied from the JSON line.
        let parts: serde_json::Value = serde_json::from_str(&line).map_err(Error::other)?;
        let text = |key: &str| parts[key].as_str().map(str::to_owned);
        let row = [
            Value::Long(decision.hand as i64),
            Value::Int(decision.index as i32),
            Value::Int(decision.entrant.into()),
            Value::Text(name(info, decision.entrant)),
            Value::Int(decision.seat.index() as i32),
            Value::Text(text("action").unwrap_or_default()),
            Value::Maybe(text("corrected_from")),
            Value::Maybe(text("fallback")),
            Value::Maybe(parts.get("strategy").map(ToString::to_string)),
            Value::Maybe(parts.get("values").map(ToString::to_string)),
            Value::Maybe(text("note")),
            Value::Long(i64::try_from(decision.elapsed.as_nanos()).unwrap_or(i64::MAX)),
        ];
        table.row(row).map_err(io_error)?;
    }
    table.finish().map_err(io_error)?;
    Ok(count)
}

fn name(info: &MatchInfo, entrant: u8) -> String {
    info.names().get(usize::from(entrant)).cloned().unwrap_or_default()
}
