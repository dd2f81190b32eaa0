//! Images, audio and files in results: written for the owner alone, their paths printed.
