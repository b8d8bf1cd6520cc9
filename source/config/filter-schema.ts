import {z} from 'zod';
import {messageOf} from '../core/errors.ts';
import {compileLinear} from '../core/linear-regex.ts';
import {didYouMean} from '../core/names.ts';
import {payloadOperators as operators} from '../core/payload.ts';
import {anyJson, checked, nonEmptyText} from '../core/schema-parts.ts';
import {escapeLine} from '../core/untrusted.ts';
import type {FilterSpec} from './route.ts';

const groups = ['all', 'any', 'not'] as const;

const maxShownLength = 40;

/** One entry of `filters`. Each regex has been compiled once as a check. @see manual/filters-and-templates.md#filters */
export const filterSchema: z.ZodType<FilterSpec> = z
	.lazy(() =>
		checked(
			z.strictObject(
				{
					field: nonEmptyText
						.exactOptional()
						.meta({description: 'Dotted path into the payload, event, or headers.<Name>'}),
					exists: z.boolean().exactOptional().meta({description: 'Whether the field is there'}),
					missing: z.boolean().exactOptional().meta({description: 'Whether the field is absent'}),
					equals: anyJson.exactOptional().meta({description: 'Equal by type and value'}),
					not_equals: anyJson.exactOptional().meta({description: 'Not equal, or absent'}),
					contains: anyJson
						.exactOptional()
						.meta({description: 'Substring, member of a list, or key of a mapping'}),
					in: z.array(anyJson).exactOptional().meta({description: 'One of these values'}),
					in_file: nonEmptyText.exactOptional().meta({
						description: 'One of the values in this file: JSON array, JSON object (keys), or lines',
					}),
					regex: linearRegex
						.exactOptional()
						.meta({description: 'Matches anywhere in the text; RE2 syntax, linear time'}),
					all: nested.exactOptional().meta({description: 'Every one of these filters matches'}),
					any: nested.exactOptional().meta({description: 'At least one of these filters matches'}),
					not: z
						.union([filterSchema, nested])
						.exactOptional()
						.meta({description: 'These filters do not all match'}),
				},
				{
					error: issue =>
						issue.code === 'unrecognized_keys' ? unknownOperators(issue.keys) : undefined,
				},
			),
			problemWithFilter,
		),
	)
	.meta({id: 'filter', description: 'Operators on a field that must all hold, or a group'});

const nested = z.array(filterSchema).min(1);

const linearRegex = checked(z.string(), pattern => {
	try {
		compileLinear(pattern);
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
});

/** The message about unknown operators: if one were ignored, the filter would pass events that it was meant to stop. */
const unknownOperators = (keys: readonly string[]): string =>
	keys
		.map(key => {
			const known = ['field', ...operators, ...groups];
			return `"${escapeLine(key, maxShownLength)}" is no operator of a filter${didYouMean(key, known) || `: it must be one of ${known.join(', ')}`}`;
		})
		.join('; ');

/** The problem with a filter, such as no operators: it would pass everything, which is never meant. */
function problemWithFilter(filter: FilterSpec): string | undefined {
	const used = operators.filter(name => filter[name] !== undefined);
	if (filter.field !== undefined && used.length === 0) {
		return `needs an operator beside "field": one of ${operators.join(', ')}`;
	}

	if (filter.field === undefined && used.length > 0) {
		return `needs "field" beside "${used[0]}"`;
	}

	return filter.field === undefined && groups.every(name => filter[name] === undefined)
		? `needs "field" and an operator, or one of ${groups.join(', ')}`
		: undefined;
}
