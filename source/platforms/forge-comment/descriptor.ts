import type {JsonObject, JsonValue} from '../../core/json.ts';
import {maxMarkLength} from '../../core/mark-length.ts';
import {nonEmptyText, setting} from '../../core/schema-parts.ts';
import {defineSettings, section} from '../../core/settings.ts';
import {extraValue, shownKey, stickyOf} from '../target-keys.ts';
import type {TargetKind, TargetProblem} from '../target-kind.ts';
import {type ForgePlace, forgePlaceOf} from './forge-place.ts';

/** The code host's command-line client. `broken`: why it must not be used. */
export type ForgeClient = {readonly cli: string; readonly broken?: string};

/** The section `forge`. @see manual/delivery-forge-comment.md */
const forgeDeclared = defineSettings({
	cli: setting(nonEmptyText, "The code host's client", {default: 'gh'}),
});

/** Comments on pull requests and issues. @see manual/delivery-forge-comment.md */
export const forgeComment = {
	kind: 'forge_comment',
	aliases: ['github_comment'],
	section: {
		name: 'forge',
		settings: section(forgeDeclared, 'The code host'),
		differences: forgeDeclared.differences,
	},
	reachesPeople: true,
	afterBreak: 'uncertain',
	// The longest comment that code hosts accept, without our mark.
	text: {maxLength: 65_536 - maxMarkLength, mentions: 'neutralised'},
	place: extra => `a comment on ${shownPlace(extra)}`,
	effect(extra) {
		const sticky = stickyOf(extra);
		return sticky.ok && sticky.value
			? `keeps one comment on ${shownPlace(extra)} up to date`
			: `posts a comment to ${shownPlace(extra)}`;
	},
	problem: findProblem,
	defaults: namedByPayload,
	check: forgePlaceOf,
	load: async () => import('./send.ts'),
} as const satisfies TargetKind<ForgeClient, ForgePlace>;

const shownPlace = (extra: JsonObject) =>
	`${shownKey(extra, 'repo')}#${shownKey(extra, 'pr_number')}`;

function findProblem(extra: JsonObject, deliver: string): TargetProblem | undefined {
	const missing = ['repo', 'pr_number'].filter(key => !isGiven(extraValue(extra, key)));
	const names = missing.map(key => `deliver_extra.${key}`).join(' and ');
	if (missing.length > 0) {
		return {
			code: 'forge_comment_incomplete',
			reason: `delivers to "${deliver}" without ${names}: set what names the repository and the pull request`,
		};
	}

	const sticky = stickyOf(extra);
	return sticky.ok
		? undefined
		: {code: 'forge_comment_invalid', reason: `delivers to "${deliver}", and ${sticky.problem}`};
}

const isGiven = (value: JsonValue | undefined): boolean =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');

/** Events whose payload names an issue and no pull request. */
const aboutIssues: ReadonlySet<unknown> = new Set(['issues', 'issue_comment']);

/** Templates for the repository and the pull request or issue that the payloads of the code host name. */
function namedByPayload(events: unknown): JsonObject {
	const isIssue =
		Array.isArray(events) && events.length > 0 && events.every(event => aboutIssues.has(event));
	return {
		repo: '{repository.full_name}',
		pr_number: isIssue ? '{issue.number}' : '{pull_request.number}',
	};
}
