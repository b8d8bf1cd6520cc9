import {isJsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload-path.ts';
import {cell} from '../core/untrusted.ts';

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

	const find = (places: readonly string[][], type: 'string' | 'number') =>
		places.map(place => lookUp(payload, place)).find(value => typeof value === type);
	const repository = find(repositories, 'string');
	const number = find(numbers, 'number');
	return typeof repository === 'string' && typeof number === 'number' && repository !== ''
		? cell(`${repository}#${number}`, maxLength).text
		: undefined;
}
