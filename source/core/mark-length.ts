/** Characters that the mark of `OwnMark.sign` adds to a text, at most. Apart from it, so that what only counts loads no cryptography. */
export const maxMarkLength = 64;
