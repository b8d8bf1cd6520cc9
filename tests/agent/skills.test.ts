import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {array, assert, constantFrom, oneof, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {activateSkillTool, findSkills, readSkill, skillNames} from '../../source/agent/skills.ts';

function createSkills(files: Readonly<Record<string, string>>) {
	const root = mkdtempSync(join(tmpdir(), 'svc-skills-'));
	const skillsDir = join(root, 'skills');
	mkdirSync(skillsDir);
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(join(skillsDir, name), {recursive: true});
		writeFileSync(join(skillsDir, name, 'SKILL.md'), text);
	}

	const warnings: string[] = [];
	return {
		root,
		skillsDir,
		warnings,
		find(...names: readonly string[]) {
			const {skills, problems} = findSkills(names, {skillsDir, most: 1});
			warnings.push(...problems);
			return skills[0];
		},
		[Symbol.dispose]() {
			rmSync(root, {recursive: true});
		},
	};
}

const skill = (name: string, body = 'Body', description = 'Does things') =>
	`---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

test('only the first skill in the list that is found is loaded; later entries are ignored', () => {
	using skills = createSkills({second: skill('second', '# Two'), third: skill('third')});

	expect(skills.find('first', 'second', 'third')).toEqual({
		name: 'second',
		description: 'Does things',
		body: '# Two',
	});
	expect(skills.warnings).toEqual(['Skill "first" was skipped: there is no such skill']);
});

test('no names, or none that is found, is no skill', () => {
	using skills = createSkills({});

	expect(skills.find()).toBeUndefined();
	expect(skills.find('a', 'b')).toBeUndefined();
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
])('the name %j leads nowhere', name => {
	using skills = createSkills({real: skill('real')});
	writeFileSync(join(skills.root, 'SKILL.md'), skill('outside'));

	expect(skills.find(name)).toBeUndefined();
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
] as const)('%s is read', ([, text, description]) => {
	using skills = createSkills({x: text});

	expect(skills.find('x')).toEqual({name: 'x', description, body: 'Body'});
});

test('a name that differs from the folder is a warning', () => {
	using skills = createSkills({x: skill('y')});

	expect(skills.find('x')).toMatchObject({name: 'x'});
	expect(skills.warnings).toEqual([
		'Skill "x": it calls itself something else in its front matter',
	]);
});

test.for([
	['no front matter', 'Just text'],
	['a front matter that does not end', '---\nname: x\ndescription: y\n'],
	['no description', '---\nname: x\n---\nBody'],
	['a list for a front matter', '---\n- a\n---\nBody'],
	['broken YAML', '---\ndescription: "x\n---\nBody'],
	// One that checks keys by comparing each with each would keep the gateway busy for minutes.
	[
		'a front matter of a hundred thousand keys',
		`---\n${Array.from({length: 100_000}, (_, index) => `k${index}:\n`).join('')}description: D\n---\nBody`,
	],
	['nesting without end', `---\ndescription: D\na: ${'['.repeat(8000)}\n---\nBody`],
	['more than 1 MiB', skill('x', 'x'.repeat(1024 * 1024))],
	[
		'a bomb of aliases',
		`---\na: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ndescription: D\n---\nBody`,
	],
] as const)('a file with %s is skipped', ([, text]) => {
	using skills = createSkills({x: text, good: skill('good')});

	expect(skills.find('x', 'good')).toMatchObject({name: 'good'});
	expect(skills.warnings).toHaveLength(1);
});

test('a pipe in place of the file does not keep anything waiting', () => {
	using skills = createSkills({});
	mkdirSync(join(skills.skillsDir, 'pipe'));
	const makePipe = 'mkfifo';
	execFileSync(makePipe, [join(skills.skillsDir, 'pipe', 'SKILL.md')]);

	expect(skills.find('pipe')).toBeUndefined();
	expect(skills.warnings[0]).toContain('it is not a file');
});

test('a folder may be a link of the person; a SKILL.md that leads out of its folder is skipped, and nothing of it is read', () => {
	using skills = createSkills({real: skill('real'), bad: ''});
	const elsewhere = join(skills.root, 'elsewhere');
	mkdirSync(elsewhere);
	writeFileSync(join(elsewhere, 'SKILL.md'), skill('linked'));
	symlinkSync(elsewhere, join(skills.skillsDir, 'linked'));
	rmSync(join(skills.skillsDir, 'bad', 'SKILL.md'));
	writeFileSync(join(skills.root, '.env'), skill('bad', 'TOKEN=secret'));
	symlinkSync('../../.env', join(skills.skillsDir, 'bad', 'SKILL.md'));

	expect(skills.find('linked')).toMatchObject({name: 'linked'});
	expect(skills.find('bad', 'real')).toMatchObject({name: 'real'});
	expect(skills.warnings).toEqual([
		'Skill "bad" was skipped: its SKILL.md is a link that leads out of the folder',
	]);
});

test('a folder is told from a file of its name and from one without SKILL.md, and only folders have names', () => {
	using skills = createSkills({good: skill('good'), Good2: ''});
	mkdirSync(join(skills.skillsDir, 'empty'));
	mkdirSync(join(skills.skillsDir, '.git'));
	writeFileSync(join(skills.skillsDir, 'README'), '');
	symlinkSync('/nowhere', join(skills.skillsDir, 'dangling'));
	symlinkSync('loop', join(skills.skillsDir, 'loop'));

	expect(skillNames(skills.skillsDir)).toEqual(['Good2', 'empty', 'good']);
	expect(skillNames(join(skills.root, 'none'))).toEqual([]);
	expect(readSkill('empty', skills.skillsDir)).toMatchObject({
		problem: 'its folder has no SKILL.md',
	});
	expect(readSkill('none', skills.skillsDir)).toMatchObject({isMissing: true});
	expect(readSkill('README', skills.skillsDir)).toMatchObject({ok: false});
});

test('what is wrong is said with its line, and without a control character', () => {
	using skills = createSkills({
		x: '---\nname: x\ndescription: "x\n---\nBody',
		long: skill('long', '', 'd'.repeat(1025)),
	});

	expect(readSkill('x', skills.skillsDir)).toMatchObject({
		problem: expect.stringMatching(/^SKILL\.md:\d+: a quote, a bracket/),
	});
	expect(readSkill('long', skills.skillsDir)).toMatchObject({
		warnings: [
			'its description is longer than 1024 characters',
			'nothing follows its front matter',
		],
	});
	expect(skills.find('a\u001B[2J')).toBeUndefined();
	expect(skills.warnings[0]).not.toContain('\u001B');
});

test('whatever a SKILL.md holds, it is a skill or a reason in clean words', () => {
	using skills = createSkills({x: ''});
	const pieces = [
		'---',
		'\n',
		'\r\n',
		'name: x',
		'description: ',
		'&a ',
		'*a',
		'? ',
		'<<: ',
		'[',
		'{',
		'"',
		'!!js ',
		'\u001B[2J',
		'\u0000',
		'|',
		'\t',
	];
	assert(
		property(
			array(oneof(constantFrom(...pieces), string({unit: 'grapheme', maxLength: 4})), {
				maxLength: 30,
			}),
			parts => {
				writeFileSync(
					join(skills.skillsDir, 'x', 'SKILL.md'),
					`---\n${parts.join('')}\ndescription: D\n---\n`,
				);
				const read = readSkill('x', skills.skillsDir);
				const said = read.ok ? read.warnings : [read.problem];
				expect(said.join('')).toMatch(/^[^\p{Cc}]*$/u);
				expect(read.ok ? read.skill.description.trim() : read.problem).not.toBe('');
			},
		),
	);
});

test('activate_skill reads one of the skills that were named to the chat, as it stands then', async () => {
	using skills = createSkills({one: skill('one', 'As one does'), other: skill('other')});
	const tool = activateSkillTool(['one', 'gone'], skills.skillsDir);
	const activate = async (args: unknown) =>
		tool.execute(args as never, {signal: new AbortController().signal});
	writeFileSync(join(skills.skillsDir, 'one', 'SKILL.md'), skill('one', 'As it does now'));

	expect(tool).toMatchObject({readOnly: true, needsApproval: false});
	expect(await activate({name: 'one'})).toEqual({text: '# Skill: one\n\nAs it does now'});
	for (const args of [{name: 'other'}, {name: '../one'}, {name: 7}, null, 'one']) {
		// oxlint-disable-next-line no-await-in-loop -- one call after the other
		expect(await activate(args)).toMatchObject({isError: true});
	}

	expect(await activate({name: 'gone'})).toEqual({
		text: 'Cannot activate skill "gone": there is no such skill',
		isError: true,
	});
});
