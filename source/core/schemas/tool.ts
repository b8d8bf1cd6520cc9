import {facts, maybe, text} from './parts.ts';

export const toolResultSchema = facts({
	/** What the model reads. */
	text,
	isError: maybe,
});
