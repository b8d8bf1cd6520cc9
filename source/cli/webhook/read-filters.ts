import {parse} from 'yaml';
import {SvcError, messageOf} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import type {Context} from '../context.ts';
import {readInput} from '../read-input.ts';

const largestBytes = 1024 * 1024;

/** The filters in a JSON or YAML file of at most 1 MiB, as they are written. @throws SvcError `filters_unreadable` */
export async function readFilters(context: Context, path: string): Promise<JsonValue> {
	try {
		const value: JsonValue = parse(await readInput(context, path, {largestBytes}));
		return value;
	} catch (error) {
		throw new SvcError(
			'filters_unreadable',
			`Cannot read the filters in "${path}": ${messageOf(error)}`,
			{cause: error},
		);
	}
}
