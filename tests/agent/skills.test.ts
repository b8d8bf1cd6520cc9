import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {findSkill} from '../../source/agent/skills.ts';
import {createLogger} from '../../source/core/log.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

function createSkills(files: Readonly<Record<string, string>>) {
	const root = mkdtempSync(join(tmpdir(), 'svc-skills-'));
	const skillsDir = join(root, 'skills');
	mkdirSync(skillsDir);
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(skillsDir, name), {recursive: true});
		writeFileSync(join(skillsDir, name, 'SKILL.md'), text);
	}

	const warnings: string[] = [];
	const log = createLogger({
		clock: createFakeClock(),
		redact: text => text,
		write({message}) {
			warnings.push(message);
		},
	});
	return {
		root,
		skillsDir,
		warnings,
		find: async (...names: string[]) => findSkill(names, {skillsDir, log}),
		[Symbol.dispose]() {
			rmSync(root, {recursive: true});
		},
	};
}

const skill = (name: string, body = 'Body', description = 'Does things') =>
	`---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

test('only the first skill in the list that is found is loaded; later entries are ignored', async () => {
	using skills = createSkills({second: skill('second', '# Two'), third: skill('third')});

	expect(await skills.find('first', 'second', 'third')).toEqual({
		name: 'second',
		description: 'Does things',
		body: '# Two',
	});
	expect(skills.warnings).toEqual(['Skill "first" was skipped: there is no such skill']);
});

test('no names, or none that is found, is no skill', async () => {
	using skills = createSkills({});

	expect(await skills.find()).toBeUndefined();
	expect(await skills.find('a', 'b')).toBeUndefined();
});

test.for([
	'..',
	'../skills/real',
	'/etc',
	'real/',
	'real/../real',
	'.',
	'',
	'a\u0000b',
	'x'.repeat(65),
])('the name %j leads nowhere', async name => {
	using skills = createSkills({real: skill('real')});
	writeFileSync(join(skills.root, 'SKILL.md'), skill('outside'));

	expect(await skills.find(name)).toBeUndefined();
	expect(skills.warnings).toHaveLength(1);
});

test.for([
	['CRLF and a byte order mark', `\uFEFF${skill('x').replaceAll('\n', '\r\n')}`, 'Does things'],
	['a colon that YAML would want quoted', skill('x', 'Body', 'Use when: asked'), 'Use when: asked'],
	['a body without a last newline', '---\ndescription: D\n---\nBody', 'D'],
	[
		'a block of text for a description',
		'---\nname: x\ndescription: >\n  Long\n  one\n---\nBody',
		'Long one\n',
	],
] as const)('%s is read', async ([, text, description]) => {
	using skills = createSkills({x: text});

	expect(await skills.find('x')).toEqual({name: 'x', description, body: 'Body'});
});

test('a name that differs from the folder is a warning', async () => {
	using skills = createSkills({x: skill('y')});

	expect(await skills.find('x')).toMatchObject({name: 'x'});
	expect(skills.warnings).toEqual(['Skill "x" calls itself something else in its front matter']);
});

test.for([
	['no front matter', 'Just text'],
	['a front matter that does not end', '---\nname: x\ndescription: y\n'],
	['no description', '---\nname: x\n---\nBody'],
	['a list for a front matter', '---\n- a\n---\nBody'],
	['broken YAML', '---\ndescription: "x\n---\nBody'],
	['more than 1 MiB', skill('x', 'x'.repeat(1024 * 1024))],
	[
		'a bomb of aliases',
		`---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ndescription: D\n---\nBody`,
	],
] as const)('a file with %s is skipped', async ([, text]) => {
	using skills = createSkills({x: text, good: skill('good')});

	expect(await skills.find('x', 'good')).toMatchObject({name: 'good'});
	expect(skills.warnings).toHaveLength(1);
});

test('a pipe in place of the file does not keep anything waiting', async () => {
	using skills = createSkills({});
	mkdirSync(join(skills.skillsDir, 'pipe'));
	const makePipe = 'mkfifo';
	execFileSync(makePipe, [join(skills.skillsDir, 'pipe', 'SKILL.md')]);

	expect(await skills.find('pipe')).toBeUndefined();
	expect(skills.warnings[0]).toContain('not a regular file');
});
