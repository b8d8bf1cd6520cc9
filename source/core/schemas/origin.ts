import {facts, maybeText, text} from './parts.ts';

/** Where a run without a delivery comes from; with `delivery` and `route`, where any does. `originOf` reads it. */
export const originShape = {
	/** The scheduled job that it is a run of. */
	job: facts({id: text, name: text}).exactOptional(),
	/** A turn of a chat: the name of the key of the API that asked for it, or `terminal` for the person there. */
	chat: facts({key: text}).exactOptional(),
	/** A turn of a conversation on a messaging platform, and who wrote there. */
	conversation: facts({
		/** Name of the platform: `telegram`. */
		platform: text,
		/** Identifiers as the platform has them; compare them raw, show them cleaned. */
		chat: text,
		thread: maybeText,
		user: text,
	}).exactOptional(),
};
