/** Stands for the whole payload among the keys that a prompt took. */
export const wholePayload = '__raw__';

/**
 * What a prompt took of its payload, for a person: `number, pull_request.title`. What a model made of it nobody knows; of what is not named here its prompt had nothing. Not cleaned of its own.
 */
export const readWords = (keys: readonly string[]): string =>
	keys.length === 0
		? 'nothing of the payload'
		: keys
				.map(key =>
					key === wholePayload ? 'the payload as JSON (its first 4,000 characters)' : key,
				)
				.join(', ');
