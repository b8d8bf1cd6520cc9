import {z} from 'zod';
import {facts, integer, maybeText, text} from './parts.ts';

export const receiverAnswerSchema = facts({status: integer, body: text}).register(
	z.globalRegistry,
	{id: 'ReceiverAnswer'},
);

export const replayChangesSchema = z.strictObject({
	/** UTF-8. */
	body: maybeText,
	/** Name of another route, also of another profile. */
	route: maybeText,
});
