import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {neutraliseMentions} from '../../source/delivery/neutralise-mentions.ts';
import {propertyRuns} from '../helpers/property-runs.ts';

/** What a code host takes for a mention: no letter or digit before the sign, a name behind it. */
const mention = /(?:^|[^A-Za-z0-9])@[A-Za-z0-9]/;

describe('prose', () => {
	test.for([
		['cc @alice', 'cc ＠alice'],
		['@alice', '＠alice'],
		['(@acme/team)', '(＠acme/team)'],
		['**@alice** _@bob_ ~@carol~', '**＠alice** _＠bob_ ~＠carol~'],
		['a_@alice', 'a_＠alice'],
		['&#64;alice &#x40;bob &commat;carol &#0064 dave', '＠alice ＠bob ＠carol ＠ dave'],
		['@&#97;lice', '＠&#97;lice'],
		['ops@example.com', 'ops@example.com'],
		['[@alice](https://x.example)', '[＠alice](https://x.example)'],
		['> @alice', '> ＠alice'],
	] as const)('%j becomes %j', ([text, harmless]) => {
		expect(neutraliseMentions(text)).toBe(harmless);
	});
});

describe('code stays as it is', () => {
	test.for([
		'use `@Injectable()` here',
		'``a ` @b`` and `@c`',
		'```ts\n@Component({})\nclass A {}\n```',
		'~~~\n@x\n~~~',
		'text\n```\n@x\n~~~\n@y\n```\ntext',
		'````\n```\n@x\n````',
		'```\n@never closed',
		'Use `Array<string>`:\n```ts\nimport x from "@acme/x";\n```',
	])('%j', text => {
		expect(neutraliseMentions(text)).toBe(text);
	});
});

describe('where a code host may see less code than we do, nothing counts as code', () => {
	test.for([
		['an unpaired backtick in front', '`@alice'],
		['an escaped backtick', '\\`@alice`'],
		['a pair that crosses lines', 'foo `\n`@alice` bar'],
		['runs of different length', '``@alice`'],
		['a table row', 'a | `b\n--|--\n`x | @alice`'],
		['an HTML block', '<div>\n```\n@alice\n```\n</div>'],
		['an HTML comment', '<!--\n```\n-->\n@alice\n```'],
		['an attribute with a backtick', '<a title="`">`@alice`</a>'],
		['a fence in a list', '- x\n  ```\n@alice\n  ```'],
		['a fence in a quote', '> ```\n@alice\n> ```'],
		['an indented fence', '  ```\n@alice\n  ```\n@bob'],
		['a tilde fence in a list', '- ~~~\n@alice\n  ~~~'],
		['a fence whose info has a backtick', '```a`b\n@alice\n```'],
		['mathematics', '$`@alice`$'],
		['a closing fence that is indented', '```\nx\n  ```\n@alice'],
		['a closing fence that is too short', '````\n```\n````\n@alice'],
	] as const)('%s', ([, text]) => {
		expect(neutraliseMentions(text)).not.toMatch(mention);
	});
});

const parts = [
	'@alice',
	'\n',
	'\n\n',
	'|',
	'\\',
	'<b>',
	'<!--',
	'- ',
	'> ',
	'x',
	'$',
	'    ',
	'\t',
];
const code = ['`', '``', '```', '~~~', '`x`', '```\n'];

const textOf = (pieces: readonly string[]) =>
	fc.array(fc.constantFrom(...pieces), {maxLength: 30}).map(list => list.join(''));

test('without code no mention survives', () => {
	fc.assert(
		fc.property(textOf([...parts, '&#64;bob']), text => {
			expect(neutraliseMentions(text)).not.toMatch(mention);
		}),
		{numRuns: propertyRuns(1000)},
	);
});

test('nothing but the signs changes', () => {
	fc.assert(
		fc.property(textOf([...parts, ...code]), text => {
			expect(neutraliseMentions(text).replaceAll('＠', '@')).toBe(text);
		}),
		{numRuns: propertyRuns(1000)},
	);
});

test('takes time in proportion to the text', () => {
	for (const part of ['`a', '@', '```\n', '`a``b', '|`', '~~~\n@x\n', '&#64;', '\\`']) {
		expect(neutraliseMentions(part.repeat(65_536 / part.length)).length).toBeGreaterThan(0);
	}
});
