import {z} from 'zod';
import {apiEndpoints, budgetPeriods, keyKinds} from '../api-key.ts';
import {facts, integer, maybeInteger, maybeNumber, number, text, texts, yesOrNo} from './parts.ts';

/** So many tokens in each day, week (from Monday) or month, by UTC. */
export const keyBudgetSchema = facts({tokens: integer, per: z.enum(budgetPeriods)});

/** What a key has used. Tokens are those that models counted; where one does not count, an estimate. */
export const keyUsageSchema = facts({
	requests: integer,
	inputTokens: integer,
	outputTokens: integer,
});

export const apiKeySchema = facts({
	/** Stays the same when its secret is rotated: `key_` and 12 characters. */
	id: text,
	/** Cleaned. */
	name: text,
	kind: z.enum(keyKinds),
	/** Its first and last characters, for a person to know it again. */
	hint: text,
	endpoints: z.array(z.enum(apiEndpoints)),
	/** Public model identifiers, or globs of them; `*` for all. */
	models: texts,
	/** Whether models that are agents may act for it. */
	agents: yesOrNo,
	/** Requests in a minute. */
	rpm: maybeInteger,
	/** Requests at a time. */
	parallel: maybeInteger,
	budget: keyBudgetSchema.exactOptional(),
	/** Milliseconds since 1970, as all times here. */
	createdAt: number,
	expiresAt: maybeNumber,
	revokedAt: maybeNumber,
	lastUsedAt: maybeNumber,
	/** The secret before the last rotation, and until when it passes. */
	retiring: facts({hint: text, until: number}).exactOptional(),
	/** Of this day by UTC, of the time of its budget (of the month, where it has none), and since it was made. */
	usage: facts({day: keyUsageSchema, period: keyUsageSchema, all: keyUsageSchema}),
}).register(z.globalRegistry, {id: 'ApiKey'});

/** What a key has used on one day, by UTC: `2026-11-23`. */
export const keyDaySchema = keyUsageSchema.extend({day: text});
