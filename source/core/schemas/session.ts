import {z} from 'zod';
import {
	facts,
	integer,
	jsonObject,
	maybeInteger,
	maybeText,
	number,
	text,
	yesOrNo,
} from './parts.ts';

export const chatSessionSchema = facts({
	/** `ses_` and 30 characters; the gateway gives it out. */
	id: text,
	/** The key that it belongs to; `name` as it was when the session began, cleaned. */
	key: facts({id: text, name: text, isTest: yesOrNo}).exactOptional(),
	/** The conversation on a messaging platform that it is: `telegram:12345`, `telegram:12345/17` with its thread. Without this and a key: the person's at the terminal. */
	origin: maybeText,
	/** The public model that answered last. */
	model: text,
	/** Beginning of what its user said first, cleaned; empty before. */
	title: text,
	/** Milliseconds since 1970, as all times here. */
	createdAt: number,
	usedAt: number,
	messages: integer,
	/** Of its messages, as JSON. */
	bytes: integer,
}).register(z.globalRegistry, {id: 'ChatSession'});

export const sessionMessageSchema = facts({
	at: number,
	/** As the chat API has it: `role`, `content` and whatever else. */
	message: jsonObject,
	/** The run that it is the answer of. */
	run: maybeInteger,
}).register(z.globalRegistry, {id: 'SessionMessage'});

export const storedSessionSchema = chatSessionSchema
	.extend({
		/** Oldest first. */
		conversation: z.array(sessionMessageSchema),
	})
	.register(z.globalRegistry, {id: 'StoredSession'});

export const sessionMatchSchema = facts({
	session: chatSessionSchema,
	at: number,
	role: text,
	/** Where the words stand, cleaned, in at most 400 characters. */
	excerpt: text,
}).register(z.globalRegistry, {id: 'SessionMatch'});
