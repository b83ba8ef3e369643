//! Benchmarks of pentalith, a package of their own: nobody who builds or tests the program needs what they depend on.
