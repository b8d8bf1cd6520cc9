import type {ApiKey} from '../../core/api-keys/api-key.ts';
import {dayOf} from '../../core/api-keys/key-periods.ts';
import {keyState, limitWords, scopeWords} from '../../core/api-keys/key-words.ts';
import type {Table} from '../console/print-table.ts';

/** Tokens of the time of the budget, and requests since the key was made. */
const usageText = ({usage: {period, all}}: ApiKey): string =>
	`${period.inputTokens + period.outputTokens} tokens, ${all.requests} requests`;

export const keyTable = (keys: readonly ApiKey[], now: number): Table => ({
	header: ['ID', 'NAME', 'KEY', 'STATE', 'FOR', 'LIMITS', 'USED', 'LAST'],
	rows: keys.map(key => [
		key.id,
		key.name || '-',
		key.hint,
		keyState(key, now),
		scopeWords(key),
		limitWords(key),
		usageText(key),
		key.lastUsedAt === undefined ? 'never' : dayOf(key.lastUsedAt),
	]),
	empty: 'No keys: make one with "svc keys create"',
	whole: ['ID'],
	optional: ['LAST', 'LIMITS', 'USED', 'FOR'],
});
