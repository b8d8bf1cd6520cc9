import {isJsonObject, type JsonObject} from '../core/json.ts';
import {targetOf} from './targets.ts';

/** Events whose payload names an issue and no pull request. */
const aboutIssues: ReadonlySet<unknown> = new Set(['issues', 'issue_comment']);

/**
 * `entry` (a subscription as it is written) with what `given` adds to its `deliver_extra`. An entry that delivers to `forge_comment` also says
 * where it posts: where nothing else is written, what the payloads of the code host name. Pure.
 *
 * @see manual/delivery.md
 */
export function fillDeliverExtra(
	entry: JsonObject,
	given: Readonly<Record<string, string>> = {},
): JsonObject {
	const before = isJsonObject(entry['deliver_extra']) ? entry['deliver_extra'] : {};
	const extra = {...forgeDefaults(entry), ...before, ...given};
	return Object.keys(extra).length === 0 ? entry : {...entry, deliver_extra: extra};
}

function forgeDefaults({deliver, events}: JsonObject): JsonObject {
	if (typeof deliver !== 'string' || targetOf(deliver) !== 'forge_comment') {
		return {};
	}

	const isIssue =
		Array.isArray(events) && events.length > 0 && events.every(event => aboutIssues.has(event));
	return {
		repo: '{repository.full_name}',
		pr_number: isIssue ? '{issue.number}' : '{pull_request.number}',
	};
}
