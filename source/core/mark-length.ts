/** Most characters that `AuthorshipMark.sign` adds to a text. A file of its own, so that counting loads no cryptography. */
export const maxMarkLength = 64;
