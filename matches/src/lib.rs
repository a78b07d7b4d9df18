//! Drivers that bind protocols and local tables to agents and records.
