/** As far as one can tell without the model. */
export const charactersPerToken = 4;

/** Tokens that so many characters may be, where no model has counted them. */
export const estimatedTokens = (characters: number): number =>
	Math.ceil(characters / charactersPerToken);
