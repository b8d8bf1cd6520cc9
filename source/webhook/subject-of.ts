import {isJsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload-path.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Where code hosts name the repository: GitHub, Gitea, Forgejo; GitLab. */
const repositories = [
	['repository', 'full_name'],
	['project', 'path_with_namespace'],
];

/** Where they number the pull request or the issue. */
const numbers = [
	['pull_request', 'number'],
	['issue', 'number'],
	['merge_request', 'iid'],
	['issue', 'iid'],
	['object_attributes', 'iid'],
	['number'],
];

const maxLength = 200;

/** The pull request or the issue that an event is about, `owner/name#number`, by the fields that code hosts use; cleaned. `undefined` when they do not say. */
export function subjectOf(payload: JsonValue): string | undefined {
	if (!isJsonObject(payload)) {
		return undefined;
	}

	const find = <Found>(
		places: readonly string[][],
		read: (value: JsonValue | undefined) => Found | undefined,
	) => places.map(place => read(lookUp(payload, place))).find(found => found !== undefined);
	const repository = find(repositories, nameIn);
	const number = find(numbers, numberIn);
	return repository && number !== undefined
		? escapeLine(`${repository}#${number}`, maxLength)
		: undefined;
}

// Both as the place of a comment reads them: two that are one place there are one subject.
const nameIn = (value: JsonValue | undefined) =>
	typeof value === 'string' ? value.trim() : undefined;

function numberIn(value: JsonValue | undefined): number | undefined {
	const isNumber =
		typeof value === 'number' || (typeof value === 'string' && /^\d{1,10}$/.test(value.trim()));
	return isNumber ? Number(value) : undefined;
}
