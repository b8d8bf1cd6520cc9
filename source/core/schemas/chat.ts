import {z} from 'zod';
import {facts, integer, number, text, yesOrNo} from './parts.ts';

const perhapsText = text.nullable();

export const chatWriterSchema = facts({
	platform: text,
	chat: text,
	/** `null`: written outside of threads. */
	thread: perhapsText,
	/** The identifier that `allow_from` takes. */
	user: text,
	/** Latest display name of the writer; `null`: unknown. */
	name: perhapsText,
	/** `allowed`: whether the writer is in `allow_from`. `approver`: whether the writer may answer requests for approval. */
	allowed: yesOrNo,
	approver: yesOrNo,
	/** Milliseconds since 1970. */
	lastAt: number,
	messages: integer,
}).register(z.globalRegistry, {id: 'ChatWriter'});

export const shownChatSchema = facts({
	platform: text,
	chat: text,
	/** The people who wrote in the chat, latest writer first. */
	people: z.array(chatWriterSchema),
	/** The conversations in the chat: its threads, and messages outside of threads; the newest 20. */
	conversations: z.array(
		facts({
			/** `null`: the conversation outside of threads. */
			thread: perhapsText,
			/** The session that the next turn continues; `null`: no turn yet. */
			session: perhapsText,
			/** Turns that have not ended, oldest first. */
			open: z.array(facts({run: integer, queued: yesOrNo})),
		}),
	),
}).register(z.globalRegistry, {id: 'ShownChat'});

export const allowedWriterSchema = facts({
	/** `false`: the user was in `allow_from` already. */
	added: yesOrNo,
	/** Whether svc receives messages from the platform, by the present configuration. */
	heard: yesOrNo,
});
