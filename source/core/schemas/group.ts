import {z} from 'zod';
import {facts, integer, maybeInteger, maybeText, maybeNumber, number, text} from './parts.ts';

export const groupSchema = facts({
	id: integer,
	profile: text,
	route: text,
	/** The rendered key, at most 256 characters. */
	key: text,
	state: z.enum(['pending', 'dispatched']),
	/** Times of its first and its latest event. */
	firstAt: number,
	lastAt: number,
	/** When the quiet window ends, if no further event is received. */
	quietAt: number,
	/** When the group is dispatched at the latest, even if events continue. */
	capAt: number,
	/** Events so far; all but the latest are superseded. */
	count: integer,
	/** `Delivery.id` of the latest event. */
	latest: text,
	/** Resolved type of the latest event. */
	event: text,
	dispatchedAt: maybeNumber,
	/** Why it was dispatched: its quiet window passed, its cap was reached, the receiver stopped, or a person asked for it. */
	reason: z.enum(['quiet', 'cap', 'stop', 'person']).exactOptional(),
	/** The run that the group started. */
	runId: maybeInteger,
}).register(z.globalRegistry, {id: 'Group'});

export const groupMemberSchema = facts({
	/** `Delivery.id`. */
	delivery: text,
	/** The sender's identifier. */
	deliveryId: text,
	event: text,
	/** `Delivery.subject`. */
	subject: maybeText,
	/** Milliseconds since 1970. */
	receivedAt: number,
});

export const storedGroupSchema = groupSchema
	.extend({members: z.array(groupMemberSchema)})
	.register(z.globalRegistry, {id: 'StoredGroup'});
