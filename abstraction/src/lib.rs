//! How a large game is seen small: bet menus, buckets and features.
