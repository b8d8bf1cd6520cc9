import {escapeLine} from '../core/untrusted.ts';
import type {FilterSpec} from './route.ts';

const maxLines = 40;
const maxLength = 200;

/** Filters as a person reads them, one condition a line, those of a group below it: `action in ["opened","edited"]`. Texts are clean, cut at 200 characters; at most 40 lines. */
export function filterLines(filters: readonly FilterSpec[]): readonly string[] {
	const lines = filters.flatMap(filter => linesOf(filter, ''));
	return lines.length <= maxLines
		? lines
		: [...lines.slice(0, maxLines), `and ${lines.length - maxLines} more lines`];
}

function linesOf(filter: FilterSpec, indent: string): readonly string[] {
	const {field, all, any, not, ...operators} = filter;
	const said = (text: string) => `${indent}${escapeLine(text, maxLength)}`;
	const conditions = Object.entries(operators).map(([name, value]) => {
		const subject = field ?? '?';
		const word = name.replaceAll('_', ' ');
		return value === true && (name === 'exists' || name === 'missing')
			? said(`${subject} ${name === 'exists' ? 'is there' : 'is missing'}`)
			: said(`${subject} ${word} ${JSON.stringify(value)}`);
	});
	const group = (title: string, members: FilterSpec | readonly FilterSpec[] | undefined) =>
		members === undefined
			? []
			: [said(title), ...[members].flat().flatMap(member => linesOf(member, `${indent}  `))];
	return [...conditions, ...group('all of', all), ...group('any of', any), ...group('not', not)];
}
