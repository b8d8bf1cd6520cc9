import {z} from 'zod';
import {apiEndpoints, keyKinds} from '../../core/api-key.ts';
import {apiKeySchema, keyBudgetSchema, keyDaySchema} from '../../core/schemas/api-key.ts';
import {facts, integer, number, text, texts, yesOrNo} from '../../core/schemas/parts.ts';
import {get, post, type Operations} from './operation.ts';

const maxNumber = 1_000_000_000_000;
const maxPatterns = 100;
const yearMs = 31_536_000_000;

const amount = z.int().min(1).max(maxNumber);

/** A new key with its secret, which is answered only once. */
const minted = facts({key: apiKeySchema, secret: text});

/** Keys of the chat API. @see manual/api-keys.md */
export const keys = {
	listKeys: get(
		'/v1/keys',
		'The keys of the chat API with their usage, oldest first; never a secret.',
		{result: z.array(apiKeySchema)},
	),
	/** Times are milliseconds since 1970. @throws SvcError `key_invalid` for an end in the past; `keys_full`, `journal_unavailable` */
	createKey: post('/v1/keys', 'Makes a key; its secret is answered once.', {
		body: z.strictObject({
			name: text.max(64),
			kind: z.enum(keyKinds),
			endpoints: z.array(z.enum(apiEndpoints)).min(1),
			models: texts.min(1).max(maxPatterns),
			agents: yesOrNo,
			rpm: amount.exactOptional(),
			parallel: amount.exactOptional(),
			budget: keyBudgetSchema.exactOptional(),
			expiresAt: number.exactOptional(),
		}),
		result: minted,
	}),
	/** `undefined` when there has ever been a key: of two concurrent calls, one gets it. */
	createFirstKey: post(
		'/v1/keys/first',
		'Makes the first live key, with no bounds, if there has never been a live key, and otherwise answers 404. Its secret is answered once.',
		{result: minted.optional()},
	),
	/** Days with use, oldest first. `undefined` when there is no such key. */
	listKeyDays: get('/v1/keys/{id}/days', 'What a key used on each of the last 40 days, by UTC.', {
		result: z.array(keyDaySchema).optional(),
	}),
	/** `undefined` when there is no such key, or it has ended. */
	rotateKey: post(
		'/v1/keys/{id}/rotate',
		'Makes a new secret, answered once; the old one is accepted for "overlapMs" milliseconds more. Body: {"overlapMs": 86400000}.',
		{body: z.strictObject({overlapMs: integer.max(yearMs)}), result: minted.optional()},
	),
	/** Revokes both secrets of a key at once and ends its requests. `undefined` when there is no such key. */
	revokeKey: post('/v1/keys/{id}/revoke', 'Ends a key at once.', {result: apiKeySchema.optional()}),
} as const satisfies Operations;
