import {endOf, type ApiKey, type KeyBudget} from './api-key.ts';

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** `5000/day`. */
export const budgetWords = ({tokens, per}: KeyBudget): string => `${tokens}/${per}`;

/** `chat,models`, and whether it lets agents act. */
export const scopeWords = ({endpoints, models, agents, kind}: ApiKey): string =>
	[
		endpoints.join(','),
		...(models.length === 1 && models[0] === '*' ? [] : [`of ${models.join(',')}`]),
		...(kind === 'live' && !agents ? ['no agents'] : []),
	].join(' ');

/** `active`, or why it is not. */
export function keyState(key: ApiKey, now: number): string {
	const end = endOf(key, now);
	if (end) {
		return end;
	}

	if (key.retiring && key.retiring.until > now) {
		return `rotating until ${new Date(key.retiring.until).toISOString().slice(0, 16)}Z`;
	}

	return key.expiresAt === undefined ? 'active' : `until ${day(key.expiresAt - 1)}`;
}

export const limitWords = ({rpm, parallel, budget}: ApiKey): string =>
	[
		...(rpm === undefined ? [] : [`${rpm} rpm`]),
		...(parallel === undefined ? [] : [`${parallel} at a time`]),
		...(budget ? [budgetWords(budget)] : []),
	].join(', ') || '-';
