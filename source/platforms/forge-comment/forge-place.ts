import type {JsonObject} from '../../core/json.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {allOf, type Checked, invalidTarget, requiredText, stickyOf} from '../target-keys.ts';

/** A pull request or an issue. */
export type ForgePlace = {
	/** `owner/name`; the host follows from the client's own configuration. */
	readonly repo: string;
	/** 1 to 2^31-1. */
	readonly number: number;
	/** Whether one comment is kept up to date, instead of a new one for each answer. */
	readonly sticky: boolean;
};

// Neither part may look like an option or leave its place; and no host is accepted: a payload must not choose who gets the client's token.
const repoPattern =
	/^(?![.-]+\/)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}$/;

const maxNumber = 2 ** 31 - 1;

/** The place of a comment: `deliver_extra.repo` and `deliver_extra.pr_number`, checked. @see manual/delivery-forge-comment.md */
export function forgePlaceOf(extra: JsonObject): Checked<ForgePlace> {
	const texts = allOf({
		repo: requiredText(extra, 'repo'),
		number: requiredText(extra, 'pr_number'),
	});
	if (!texts.ok) {
		return texts;
	}

	const {repo, number: digits} = texts.value;
	if (!repoPattern.test(repo)) {
		return wrong('repo', repo, 'must be "owner/name"');
	}

	const number = /^\d{1,10}$/.test(digits) ? Number(digits) : 0;
	if (number < 1 || number > maxNumber) {
		return wrong('pr_number', digits, 'must be a number from 1 to 2147483647');
	}

	const sticky = stickyOf(extra);
	return sticky.ok ? {ok: true, value: {repo, number, sticky: sticky.value}} : sticky;
}

const wrong = (key: string, value: string, rule: string) =>
	invalidTarget(`deliver_extra.${key} is "${escapeLine(value, 80)}" and ${rule}`);
