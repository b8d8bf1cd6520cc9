import type {FilterOperator, Term} from './filter.ts';

/**
 * A term over text. `a,b` means either. A pattern with `*` must fit the whole text, one without may stand anywhere in it.
 * Case does not matter.
 */
export const textTerm =
	<Item>(read: (item: Item) => string): Term<Item> =>
	(value, operator) => {
		if (operator !== ':') {
			return {problem: `"${operator}" compares numbers only`};
		}

		const patterns = value
			.toLowerCase()
			.split(',')
			.filter(pattern => pattern !== '');
		return {
			test(item) {
				const text = read(item).toLowerCase();
				return patterns.some(pattern => fits(pattern, text));
			},
		};
	};

/** Linear in the length of both: no pattern can stall the screen. */
function fits(pattern: string, text: string): boolean {
	if (!pattern.includes('*')) {
		return text.includes(pattern);
	}

	const parts = pattern.split('*');
	const first = parts[0] ?? '';
	const last = parts.at(-1) ?? '';
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) {
		return false;
	}

	let at = first.length;
	const end = text.length - last.length;
	for (const part of parts.slice(1, -1)) {
		const found = text.indexOf(part, at);
		if (found === -1 || found + part.length > end) {
			return false;
		}

		at = found + part.length;
	}

	return true;
}

const comparisons: Readonly<Record<FilterOperator, (left: number, right: number) => boolean>> = {
	':': (left, right) => left === right,
	'>': (left, right) => left > right,
	'<': (left, right) => left < right,
	'>=': (left, right) => left >= right,
	'<=': (left, right) => left <= right,
};

/** A term over a number; `units` maps a suffix (lower case, `''` for none) to its factor. */
export const numberTerm =
	<Item>(read: (item: Item) => number, units: Readonly<Record<string, number>>): Term<Item> =>
	(value, operator) => {
		const [, digits = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)([a-z]*)$/i.exec(value) ?? [];
		const factor = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
		if (digits === '' || factor === undefined) {
			return {problem: `"${value}" is not a number here`};
		}

		const wanted = Number(digits) * factor;
		const compare = comparisons[operator];
		return {test: item => compare(read(item), wanted)};
	};

const secondsOf: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600, d: 86_400};

/** A term over a time: `5m` (s, m, h, d ago) or `14:30` (the last time the local clock showed it). */
export const sinceTerm =
	<Item>(read: (item: Item) => number): Term<Item> =>
	(value, operator) => {
		if (operator !== ':') {
			return {problem: 'since: takes 5m or 14:30'};
		}

		const [, amount = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(value) ?? [];
		const seconds = secondsOf[unit];
		if (seconds !== undefined) {
			const agoMs = Number(amount) * seconds * 1000;
			return {test: (item, now) => read(item) >= now - agoMs};
		}

		const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(value) ?? [];
		if (hours === '' || Number(hours) > 23 || Number(minutes) > 59) {
			return {problem: 'since: takes 5m or 14:30'};
		}

		return {test: (item, now) => read(item) >= lastTimeOf(Number(hours), Number(minutes), now)};
	};

function lastTimeOf(hours: number, minutes: number, now: number): number {
	const today = new Date(now);
	today.setHours(hours, minutes, 0, 0);
	if (today.getTime() > now) {
		today.setDate(today.getDate() - 1);
	}

	return today.getTime();
}
