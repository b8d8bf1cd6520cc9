import {domainToUnicode} from 'node:url';
import {isLoopbackHost} from '../../core/hosts.ts';
import type {InstallReview} from '../../core/install.ts';
import {isJsonObject, type JsonObject, type JsonValue} from '../../core/json.ts';
import {compact, quotedName} from '../../core/names.ts';
import {escapeLineCounting, escapeLine} from '../../core/untrusted.ts';
import {inlineSecret} from '../inline-secret.ts';
import {mapTexts, type KeyPath} from '../plain-data.ts';
import {anyReference} from '../references.ts';

type Caution = InstallReview['cautions'][number];

/** Facts about the server that a link wants to install. */
export type LinkFacts = {
	readonly name: string;
	readonly entry: JsonObject;
	readonly argv: readonly string[] | undefined;
	readonly host: string | undefined;
	/** The `trust` of the link, which is ignored. */
	readonly linkTrust: JsonValue | undefined;
	/** Unknown keys; they are not in `entry`. */
	readonly unknown: ReadonlyArray<readonly string[]>;
	/** Parameters of the link without a meaning. */
	readonly ignored: readonly string[];
};

/** Warnings for the person before the server is installed, the gravest first. */
export function cautionsOf(facts: LinkFacts): readonly Caution[] {
	const cautions = [
		...(facts.argv ? programCautions(facts.argv) : []),
		...hostCautions(facts),
		...referenceCautions(facts),
		...textCautions(facts),
		...settingCautions(facts),
		...leftOut(facts),
	];
	return [
		...cautions.filter(({weight}) => weight === 'danger'),
		...cautions.filter(({weight}) => weight === 'note'),
	];
}

const danger = (text: string): Caution => ({weight: 'danger', text});
const note = (text: string): Caution => ({weight: 'note', text});

type ProgramKind = {
	readonly programs: RegExp;
	readonly weight: Caution['weight'];
	readonly says: (program: string) => string;
};

/** Cautions by the name of the program. */
const programKinds: readonly ProgramKind[] = [
	{
		programs: /^(?:sudo|doas|pkexec|su|run0|runas)$/,
		weight: 'danger',
		says: program => `${program} runs what follows as somebody else, who may do everything here`,
	},
	{
		programs:
			/^(?:(?:ba|z|da|k|c|tc|fi|a)?sh|cmd|powershell|pwsh|busybox|osascript|wscript|cscript|mshta)$/,
		weight: 'danger',
		says: program => `${program} is a shell: what it does stands in its arguments, read them all`,
	},
	{
		programs: /^(?:node|deno|bun|python[\d.]*|perl|ruby|php|env|xargs|nohup|ssh|curl|wget)$/,
		weight: 'danger',
		says: program => `${program} runs whatever its arguments say: read them all`,
	},
	{
		programs: /^(?:npx|npm|pnpm|pnpx|yarn|bunx|uvx|uv|pipx|docker|podman|nerdctl|go|cargo)$/,
		weight: 'danger',
		says: program =>
			`${program} may fetch code from the Internet and run it; other code tomorrow, where no version is named`,
	},
];

/** Warnings about a program and its arguments. */
function programCautions(argv: readonly string[]): readonly Caution[] {
	const [command = ''] = argv;
	const program = (/[^/\\]*$/.exec(command)?.[0] ?? '')
		.toLowerCase()
		.replace(/\.(?:exe|cmd|bat|com)$/, '');
	return programKinds
		.filter(({programs}) => programs.test(program))
		.map(({weight, says}) => ({weight, text: says(quotedName(program))}));
}

/** Addresses of this machine and of local networks. @see RFC 1918, RFC 3927, RFC 4193, RFC 4291 */
const ownNetwork =
	/^(?:10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:f[cd]|fe[89ab]))|\.(?:local|lan|internal|home\.arpa)$/i;

function hostCautions({entry: {url}, host}: LinkFacts): readonly Caution[] {
	if (typeof url !== 'string' || host === undefined) {
		return [];
	}

	const name = host.replace(/:\d+$/, '');
	const isLocal = isLoopbackHost(name);
	return compact([
		host.includes('$') && danger(`Which host it is depends on a variable of this machine: ${host}`),
		/(?:^|\.)xn--/i.test(name) &&
			danger(
				`The host is written with letters beyond ASCII, which may look like others: "${domainToUnicode(name)}" is ${name}`,
			),
		!isLocal &&
			/^http:/i.test(url) &&
			danger('http: everybody on the way can read and change what is sent'),
		(isLocal || ownNetwork.test(name)) &&
			note(`${name} is this machine, or one in your own network`),
	]);
}

/** References that reveal nothing. */
const harmless: ReadonlySet<string> = new Set(['pathSeparator', '/']);

/** Warnings about references: by naming a variable a link can obtain a secret of the person. */
function referenceCautions({entry, host}: LinkFacts): readonly Caution[] {
	const places = new Map<string, Set<string>>();
	mapTexts(entry, (text, path) => {
		for (const [, inside = ''] of text.matchAll(anyReference)) {
			const variable = inside.replace(/^env:/, '');
			if (!harmless.has(variable)) {
				const known = places.get(variable) ?? new Set<string>();
				places.set(variable, known.add(shownPath(path)));
			}
		}

		return text;
	});
	const receiver = host === undefined ? 'the program' : host;
	return [...places].map(([variable, where]) =>
		danger(
			`Gives the value of \${${variable}} on this machine to ${receiver} (in ${[...where].join(', ')})`,
		),
	);
}

function textCautions({name, entry, argv, host}: LinkFacts): readonly Caution[] {
	const secret = inlineSecret(name, entry);
	const isHidden = keysAndTexts(entry).some(
		text => escapeLineCounting(text, text.length + 1).flags > 0,
	);
	const letters = foreignLetters([...(argv ?? []), host ?? '']);
	return compact([
		secret &&
			note(
				`${secret.where} looks like a secret, and everybody who has the link has it too; it would stand in config.yaml`,
			),
		isHidden &&
			danger(
				String.raw`It holds characters that do not show or turn text around; they are written as \u…`,
			),
		letters.length > 0 &&
			danger(
				`What it runs, or where it leads, has letters beyond ASCII, which may look like others: ${listOf(letters)}`,
			),
	]);
}

/** Letters that look like others, each once: `р (U+0440)`. Invisible characters have a warning of their own. */
const foreignLetters = (words: readonly string[]): readonly string[] =>
	[...new Set(words.flatMap(word => word.match(/[^\p{ASCII}\p{C}]/gu) ?? []))].map(
		letter => `${letter} (U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`,
	);

function keysAndTexts(value: JsonValue): readonly string[] {
	if (typeof value === 'string') {
		return [value];
	}

	if (Array.isArray(value)) {
		return value.flatMap((member: JsonValue) => keysAndTexts(member));
	}

	return isJsonObject(value)
		? Object.entries(value).flatMap(([key, member]) => [key, ...keysAndTexts(member)])
		: [];
}

function settingCautions({entry, host}: LinkFacts): readonly Caution[] {
	const {ssl_verify: verify, sampling, oauth = {}, enabled, trust} = entry;
	const has = (key: string) => entry[key] !== undefined && entry[key] !== null;
	const logins = isJsonObject(oauth) ? Object.keys(oauth).map(quotedName) : [];
	return compact([
		trust === 'full'
			? danger('trust: full, as you chose: all of its tools run without asking anybody')
			: note(
					'trust: untrusted: a call of a tool that does not claim to only read asks a person first',
				),
		verify === false && danger('ssl_verify: false: whoever is on the way can pose as the server'),
		typeof verify === 'string' &&
			note(`ssl_verify: certificates are checked against ${quotedName(verify)} alone`),
		(has('client_cert') || has('client_key')) &&
			danger(`client_cert: shows a certificate of this machine to ${host ?? 'it'}`),
		isJsonObject(sampling) &&
			sampling['enabled'] === true &&
			danger('sampling: it may put questions to your language model, which you may pay for'),
		logins.length > 0 && danger(`oauth: the link sets how you log in: ${logins.join(', ')}`),
		has('auth') && note('auth: it wants a login'),
		enabled === false && note('enabled: false: it is not connected to until you change that'),
	]);
}

const leftOut = ({linkTrust, unknown, ignored}: LinkFacts): readonly Caution[] =>
	compact([
		linkTrust !== undefined &&
			note(
				`The link says trust: ${escapeLine(JSON.stringify(linkTrust), 40)}, which is not taken over: only you decide that`,
			),
		unknown.length > 0 &&
			note(`Left out, since no setting is called so: ${listOf(unknown.map(shownPath))}`),
		ignored.length > 0 &&
			note(`Parameters of the link that mean nothing: ${listOf(ignored.map(quotedName))}`),
	]);

const maxListed = 10;

const listOf = (names: readonly string[]): string =>
	[
		...names.slice(0, maxListed).map(name => escapeLine(name, 80)),
		...(names.length > maxListed ? [`and ${names.length - maxListed} more`] : []),
	].join(', ');

const shownPath = (path: KeyPath): string =>
	path
		.map((part, index) =>
			typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${quotedName(part)}`,
		)
		.join('');
