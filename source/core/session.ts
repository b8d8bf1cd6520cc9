import {randomBytes} from 'node:crypto';
import {isJsonObject, type JsonObject} from './json.ts';
import type {Shape} from './schemas/parts.ts';
import type {
	chatSessionSchema,
	sessionMatchSchema,
	sessionMessageSchema,
	storedSessionSchema,
} from './schemas/session.ts';

/** A conversation that the gateway keeps. @see manual/chat-api.md#sessions */
export type ChatSession = Shape<typeof chatSessionSchema>;
export type SessionMessage = Shape<typeof sessionMessageSchema>;
export type StoredSession = Shape<typeof storedSessionSchema>;
export type SessionMatch = Shape<typeof sessionMatchSchema>;

/** Nobody guesses one: 120 random bits. */
export const mintSessionId = (): string => `ses_${randomBytes(15).toString('hex').slice(0, 30)}`;

/** Whether `id` may be one of ours. */
export const isSessionId = (id: string): boolean => /^ses_[0-9a-f]{30}$/.test(id);

/** All text of a message, also what was refused; parts that are no text are named: `[image_url]`. Not cleaned. */
export function messageText({content, refusal}: SessionMessage['message']): string {
	if (typeof content === 'string' && content !== '') {
		return content;
	}

	const parts = (Array.isArray(content) ? content : []).filter(isJsonObject).map(part => {
		const text = part['text'] ?? part['refusal'];
		const type = part['type'];
		return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'part'}]`;
	});
	return parts.length > 0 ? parts.join('') : typeof refusal === 'string' ? refusal : '';
}

/** The texts of a message alone, also what was refused. Not cleaned. */
export function spokenText({content, refusal}: JsonObject): string {
	if (typeof content === 'string') {
		return content;
	}

	const parts = (Array.isArray(content) ? content : [])
		.filter(isJsonObject)
		.map(part => part['text'] ?? part['refusal']);
	return (parts.length > 0 ? parts : [refusal]).filter(text => typeof text === 'string').join('');
}
