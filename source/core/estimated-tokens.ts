/** As far as one can tell without the model. */
export const charactersPerToken = 4;

/** Tokens that so many characters may be, where no model has counted them. Of a text that may be in any script its bytes of UTF-8 are meant: a Chinese character is about a token. */
export const estimatedTokens = (characters: number): number =>
	Math.ceil(characters / charactersPerToken);
