import type {AuthorshipMark} from '../core/authorship-mark.ts';
import {isJsonObject, type JsonValue} from '../core/json.ts';
import {lookUp} from '../core/payload-path.ts';

/**
 * Where the comment stands that an event is about: GitHub, Gitea and Forgejo, then GitLab. What an issue, a pull request or a merge request says itself (of GitLab
 * `object_attributes.description`) is not looked at: the gateway writes comments alone, and whoever copies one of them into a description must not silence every event of it.
 */
const places = [
	['comment', 'body'],
	['object_attributes', 'note'],
] as const;

/** Whether an event is about a comment that this gateway wrote, unchanged. @see manual/delivery-forge-comment.md#what-svc-wrote-itself */
export function isAboutOwnComment(payload: JsonValue, {isOwn}: AuthorshipMark): boolean {
	if (!isJsonObject(payload)) {
		return false;
	}

	const text = places.map(place => lookUp(payload, place)).find(found => typeof found === 'string');
	return typeof text === 'string' && isOwn(text);
}
