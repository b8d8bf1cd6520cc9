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
	/** The first and last characters of the secret, for people to recognise it. */
	hint: text,
	endpoints: z.array(z.enum(apiEndpoints)),
	/** Public identifiers of allowed models, or globs; `*` allows all. */
	models: texts,
	/** Whether models that are agents may act for it. */
	agents: yesOrNo,
	/** Most requests per minute. */
	rpm: maybeInteger,
	/** Most requests at the same time. */
	parallel: maybeInteger,
	budget: keyBudgetSchema.exactOptional(),
	/** Milliseconds since 1970, as all times here. */
	createdAt: number,
	expiresAt: maybeNumber,
	revokedAt: maybeNumber,
	lastUsedAt: maybeNumber,
	/** The former secret after a rotation, and the time until which it is still accepted. */
	retiring: facts({hint: text, until: number}).exactOptional(),
	/** Usage on the current day (UTC), in the current budget period (without a budget: the month), and since the key was created. */
	usage: facts({day: keyUsageSchema, period: keyUsageSchema, all: keyUsageSchema}),
}).register(z.globalRegistry, {id: 'ApiKey'});

/** Usage of a key on one day, by UTC: `2026-11-23`. */
export const keyDaySchema = keyUsageSchema.extend({day: text});
