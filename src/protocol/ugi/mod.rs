//! UGI.
