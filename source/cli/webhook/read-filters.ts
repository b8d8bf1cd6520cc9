import {parse} from 'yaml';
import {filtersSchemaJson} from '../../config/config-schema-json.ts';
import {findUnknownKeys, unknownKey} from '../../config/schema-issues.ts';
import {SvcError, messageOf} from '../../core/errors.ts';
import type {JsonValue} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Context} from '../console/context.ts';
import {readInput} from '../console/read-input.ts';

const maxBytes = 1024 * 1024;

/** Reads filters from a JSON or YAML file of at most 1 MiB, as written. @throws SvcError `filters_unreadable`, also for a key that no filter has */
export async function readFilters(context: Context, path: string): Promise<JsonValue> {
	const value = await readInput(context, path, {maxBytes})
		.then((text): JsonValue => parse(text))
		.catch((error: unknown) => {
			throw new SvcError(
				'filters_unreadable',
				`Cannot read the filters in "${path}": ${messageOf(error)}`,
				{cause: error},
			);
		});
	const [unknown] = findUnknownKeys(value, filtersSchemaJson());
	if (unknown) {
		throw new SvcError(
			'filters_unreadable',
			`Cannot use the filters in "${path}": ${escapeLine(unknown.path.join('.'), 200)}: ${unknownKey(unknown)}`,
		);
	}

	return value;
}
