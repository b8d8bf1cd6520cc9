/** Most characters that `AuthorshipMark.sign` adds to a text. In a separate file, so that code that only counts characters loads no cryptography. */
export const maxMarkLength = 64;
