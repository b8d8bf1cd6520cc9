import {z} from 'zod';
import {apiEndpoints, budgetPeriods, keyKinds} from '../api-key.ts';
import {facts, integer, maybeInteger, maybeNumber, number, text, texts, yesOrNo} from './parts.ts';

/** Tokens allowed in each day, week (from Monday) or month, by UTC. */
export const keyBudgetSchema = facts({tokens: integer, per: z.enum(budgetPeriods)});

/** Usage of a key: tokens as counted by the model, or estimated if it does not count. */
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
	/** Its first and last characters, by which a person recognises it. */
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
	/** Usage of this day by UTC, of the current period of the budget (without a budget: the month), and since the key was created. */
	usage: facts({day: keyUsageSchema, period: keyUsageSchema, all: keyUsageSchema}),
}).register(z.globalRegistry, {id: 'ApiKey'});

/** Usage of a key on one day, by UTC: `2026-11-23`. */
export const keyDaySchema = keyUsageSchema.extend({day: text});
