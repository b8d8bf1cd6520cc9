import type {
	apiKeySchema,
	keyBudgetSchema,
	keyDaySchema,
	keyUsageSchema,
} from '../schemas/api-key.ts';
import type {Shape} from '../schemas/parts.ts';

/** `test`: reaches the offline model alone, and delivers nothing. */
export const keyKinds = ['live', 'test'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** What of the chat API a key may be for. */
export const apiEndpoints = ['chat', 'responses', 'models', 'approvals'] as const;
export type ApiEndpoint = (typeof apiEndpoints)[number];

/** Those of a key for which none were named: answering approvals is asked for by name. */
export const usualEndpoints: readonly ApiEndpoint[] = ['chat', 'responses', 'models'];

export const budgetPeriods = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** A key as faces see it: never its secret, nor the hash of it. */
export type ApiKey = Shape<typeof apiKeySchema>;
export type KeyBudget = Shape<typeof keyBudgetSchema>;
export type KeyUsage = Shape<typeof keyUsageSchema>;
export type KeyDay = Shape<typeof keyDaySchema>;

/** All of a key but what it used, which is summed up for a person alone. */
export type KeyFacts = Omit<ApiKey, 'usage'>;

/** What a person decides when a key is made. */
export type KeyGrant = Pick<ApiKey, 'name' | 'kind' | 'endpoints' | 'models' | 'agents'> &
	Partial<Pick<ApiKey, 'rpm' | 'parallel' | 'budget' | 'expiresAt'>>;

/** What is kept of a key. */
export type KeyRecord = Omit<ApiKey, 'usage' | 'hint' | 'retiring'> & {
	/** Newest first, at most two: what passes, and what passes until a rotation is over. Hex SHA-256 of the whole key. */
	readonly secrets: ReadonlyArray<{
		readonly hash: string;
		readonly hint: string;
		/** Milliseconds since 1970; absent: as long as the key. */
		readonly until?: number;
	}>;
};

/** Why a key passes no more. */
export type KeyEnd = 'revoked' | 'expired';

/** Whether the key itself has ended at `now`, milliseconds since 1970. */
export function endOf(
	{revokedAt, expiresAt}: Pick<ApiKey, 'revokedAt' | 'expiresAt'>,
	now: number,
): KeyEnd | undefined {
	if (revokedAt !== undefined) {
		return 'revoked';
	}

	return expiresAt !== undefined && expiresAt <= now ? 'expired' : undefined;
}

/** Whether `model`, a public identifier, is one of those that the key names; `*` stands for any characters, all else for itself. */
export const mayUseModel = ({models}: Pick<ApiKey, 'models'>, model: string): boolean =>
	models.some(pattern => matchesGlob(pattern, model));

/** Linear in both, whatever stands in them. */
function matchesGlob(pattern: string, text: string): boolean {
	const [head = '', ...rest] = pattern.split('*');
	const tail = rest.pop();
	if (tail === undefined) {
		return text === pattern;
	}

	if (!text.startsWith(head) || text.length < head.length + tail.length || !text.endsWith(tail)) {
		return false;
	}

	let at = head.length;
	for (const part of rest) {
		const found = text.indexOf(part, at);
		if (found === -1 || found + part.length > text.length - tail.length) {
			return false;
		}

		at = found + part.length;
	}

	return true;
}
