import type {Clock} from '../core/clock.ts';
import {SvcError} from '../core/errors.ts';
import {didYouMean} from '../core/names.ts';
import {escapeLine} from '../core/untrusted.ts';
import {platformKinds, platformNamed} from '../platforms/platforms.ts';
import type {HomePaths} from './config.ts';
import {editConfig} from './edit-config.ts';
import type {YamlEdit} from './edit-yaml.ts';
import {valueAt} from './plain-data.ts';

/** The identifier of a person on a messaging platform. */
export type PersonThere = {readonly platform: string; readonly user: string};

const maxPeople = 1000;

/**
 * Adds a person to `platforms.<platform>.allow_from` of `config.yaml`, keeping its comments and order. Resolves with whether the person was added; `false`: the person was
 * in the list already.
 *
 * @throws SvcError `platform_unknown` for one that does not exist, or on which people cannot talk with the agent; `config_not_editable` for a list that is none or is full; what `editConfig` throws
 * @see manual/conversations.md
 */
export async function allowWriter(
	paths: HomePaths,
	{platform, user}: PersonThere,
	{clock}: {readonly clock: Clock},
): Promise<boolean> {
	refuseOthers({platform, user});
	const path = ['platforms', platform, 'allow_from'];
	let isNew = false;
	await editConfig(
		paths,
		(written): readonly YamlEdit[] => {
			const people = valueAt(written, path) ?? [];
			if (!Array.isArray(people) || people.length >= maxPeople) {
				throw new SvcError(
					'config_not_editable',
					`Cannot add to "${path.join('.')}": ${Array.isArray(people) ? `it has ${maxPeople} identifiers already` : 'it is not a list'}`,
				);
			}

			isNew = !people.map(String).includes(user);
			const value = asWritten(user);
			return !isNew
				? []
				: people.length === 0
					? [{path, value: [value]}]
					: [{path: [...path, people.length], value}];
		},
		{clock},
	);
	return isNew;
}

/** An identifier as YAML: a number where reading it back gives exactly the same text. */
const asWritten = (user: string): string | number =>
	Number.isSafeInteger(Number(user)) && String(Number(user)) === user ? Number(user) : user;

function refuseOthers({platform, user}: PersonThere): void {
	const able = platformKinds.flatMap(({kind, listens}) => (listens ? [kind] : []));
	const isAble = able.includes(platform);
	const isReference = user.includes('${');
	const {form, says = ''} = platformNamed(platform)?.listens?.person ?? {};
	if (form?.test(user) && !isReference) {
		return;
	}

	const names = able.join(', ');
	const why =
		isAble && isReference
			? 'an identifier with "${" in it would be read as a reference to a variable in config.yaml'
			: isAble
				? `a person is named there by ${says}; "svc chats list" shows who wrote`
				: platformNamed(platform)
					? `people cannot talk with the agent on ${platform}; they can on ${names}`
					: `"${escapeLine(platform, 80)}" is no platform${didYouMean(platform, able)}; people can talk with the agent on ${names}, as in telegram:12345`;
	throw new SvcError(
		'platform_unknown',
		`Cannot allow "${escapeLine(user === '' ? platform : `${platform}:${user}`, 100)}": ${why}`,
	);
}
