import {expect, test} from 'vitest';
import {reasonIn} from '../../../source/mcp/wire/stderr-reason.ts';

/** What programs wrote when they ended, and the line that a person needs. */
const texts: ReadonlyArray<{
	readonly what: string;
	readonly reason: string | undefined;
	readonly stderr: string;
}> = [
	{
		what: 'Node: a package that is missing',
		reason:
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'not-there-at-all' imported from /srv/a.mjs",
		stderr: `node:internal/modules/package_json_reader:331
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'not-there-at-all' imported from /srv/a.mjs
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:331:9)
    at packageResolve (node:internal/modules/esm/resolve:784:25)
    at moduleResolve (node:internal/modules/esm/resolve:873:18)
    at defaultResolve (node:internal/modules/esm/resolve:1006:11)
    at #cachedDefaultResolve (node:internal/modules/esm/loader:705:20)
    at #resolveAndMaybeBlockOnLoaderThread (node:internal/modules/esm/loader:725:38)
    at ModuleLoader.resolveSync (node:internal/modules/esm/loader:763:56)
    at #resolve (node:internal/modules/esm/loader:687:17)
    at ModuleLoader.getOrCreateModuleJob (node:internal/modules/esm/loader:607:35)
    at ModuleJob.syncLink (node:internal/modules/esm/module_job:276:33) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v24.21.0
`,
	},
	{
		what: 'Node: a program that is missing',
		reason: "Error: Cannot find module '/srv/nope.js'",
		stderr: `node:internal/modules/cjs/loader:1568
  throw err;
  ^

Error: Cannot find module '/srv/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1564:15)
    at wrapResolveFilename (node:internal/modules/cjs/loader:1118:27)
    at defaultResolveImplForCJSLoading (node:internal/modules/cjs/loader:1142:10)
    at resolveForCJSWithHooks (node:internal/modules/cjs/loader:1169:12)
    at Module._load (node:internal/modules/cjs/loader:1341:5)
    at wrapModuleLoad (node:internal/modules/cjs/loader:261:19)
    at Module.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:154:5)
    at node:internal/main/run_main_module:33:47 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v24.21.0
`,
	},
	{
		what: 'Node: a file that is missing',
		reason: "Error: ENOENT: no such file or directory, open '/nope/config.json'",
		stderr: `node:fs:621
  return binding.open(
                 ^

Error: ENOENT: no such file or directory, open '/nope/config.json'
    at Object.openSync (node:fs:621:18)
    at Object.readFileSync (node:fs:487:35)
    at file:///srv/b.mjs:1:30
    at ModuleJob.run (node:internal/modules/esm/module_job:561:25)
    at async node:internal/modules/esm/loader:647:26
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:101:5) {
  errno: -2,
  code: 'ENOENT',
  syscall: 'open',
  path: '/nope/config.json'
}

Node.js v24.21.0
`,
	},
	{
		what: 'Node: a throw, with its code',
		reason: 'Error: API_KEY is not set',
		stderr: `file:///srv/c.mjs:1
const k = process.env.API_KEY; if (!k) { throw new Error("API_KEY is not set"); }
                                               ^

Error: API_KEY is not set
    at file:///srv/c.mjs:1:48
    at ModuleJob.run (node:internal/modules/esm/module_job:561:25)
    at async node:internal/modules/esm/loader:647:26
    at async asyncRunEntryPointWithESMLoader (node:internal/modules/run_main:101:5)

Node.js v24.21.0
`,
	},
	{
		what: 'Node: an error with a cause',
		reason: 'TypeError: fetch failed: Error: connect ECONNREFUSED 127.0.0.1:5432',
		stderr: `(node:3) ExperimentalWarning: x
[eval]:1
process.stderr.write("(node:3) ExperimentalWarning: x\\n"); Promise.reject(new TypeError("fetch failed",{cause:new Error("connect ECONNREFUSED 127.0.0.1:5432")}))
                                                                          ^

TypeError: fetch failed
    at [eval]:1:75
    at runScriptInThisContext (node:internal/vm:219:10)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/eval_string:71:3 {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432
      at [eval]:1:111
      at runScriptInThisContext (node:internal/vm:219:10)
      at node:internal/process/execution:451:12
      at [eval]-wrapper:6:24
      at runScriptInContext (node:internal/process/execution:449:60)
      at evalFunction (node:internal/process/execution:283:30)
      at evalTypeScript (node:internal/process/execution:295:3)
      at node:internal/main/eval_string:71:3
}

Node.js v24.21.0
`,
	},
	{
		what: 'npx: a package that does not exist',
		reason: 'npm error 404 Not Found - GET https://registry.npmjs.org/svc-nope-not-there-7361',
		stderr: `npm warn Unknown user config "nodedir". This will stop working in the next major version of npm. See \`npm help npmrc\` for supported config options.
npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/svc-nope-not-there-7361
npm error 404
npm error 404  The requested resource 'svc-nope-not-there-7361@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/2026-11-22T18_36_21_580Z-debug-0.log
`,
	},
	{
		what: 'Python: a module that is missing',
		reason: "ModuleNotFoundError: No module named 'nothere_module'",
		stderr: `Traceback (most recent call last):
  File "/srv/d.py", line 1, in <module>
    import nothere_module
ModuleNotFoundError: No module named 'nothere_module'
`,
	},
	{
		what: 'Python: an exception of an exception',
		reason: 'RuntimeError: TOKEN is missing',
		stderr: `Traceback (most recent call last):
  File "/srv/e.py", line 4, in main
    os.environ["TOKEN"]
    ~~~~~~~~~~^^^^^^^^^
  File "<frozen os>", line 679, in __getitem__
KeyError: 'TOKEN'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/e.py", line 7, in <module>
    main()
  File "/srv/e.py", line 6, in main
    raise RuntimeError("TOKEN is missing") from e
RuntimeError: TOKEN is missing
`,
	},
	{
		what: 'Python: a group of exceptions',
		reason: 'ValueError: no API key',
		stderr: `  + Exception Group Traceback (most recent call last):
  |   File "/srv/g.py", line 1, in <module>
  |     raise ExceptionGroup("unhandled errors in a TaskGroup", [ValueError("no API key")])
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | ValueError: no API key
    +------------------------------------
`,
	},
	{
		what: 'Python: no such program',
		reason: '/usr/bin/python3: No module named nope_mod',
		stderr: `/usr/bin/python3: No module named nope_mod
`,
	},
	{
		what: 'Python: usage, and what is missing',
		reason: 'f.py: error: the following arguments are required: --db',
		stderr: `usage: f.py [-h] --db DB
f.py: error: the following arguments are required: --db
`,
	},
	{
		what: 'a warning before the error',
		reason: 'Error: None of the specified directories are accessible',
		stderr: `Warning: Cannot access directory /nope/dir, skipping
Error: None of the specified directories are accessible
`,
	},
	{
		what: 'npx behind an authority of its own',
		reason:
			'npm error request to https://registry.npmjs.org/x failed, reason: self-signed certificate in certificate chain',
		stderr:
			'npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error errno SELF_SIGNED_CERT_IN_CHAIN\nnpm error request to https://registry.npmjs.org/x failed, reason: self-signed certificate in certificate chain\nnpm error A complete log of this run can be found in: /home/ann/.npm/_logs/x.log\n',
	},
	{
		what: 'uvx: a package that does not exist',
		reason: '× No solution found when resolving tool dependencies:',
		stderr:
			'  × No solution found when resolving tool dependencies:\n  ╰─▶ Because mcp-nope was not found in the package registry, your requirements are unsatisfiable.\n',
	},
	{
		what: 'usage alone',
		reason: 'Usage: mcp-server-files [allowed-directory] [additional-directories...]',
		stderr:
			'Usage: mcp-server-files [allowed-directory] [additional-directories...]\n\nOptions:\n  --fail-on-error  stop at the first error\n  -h, --help\n',
	},
	{
		what: 'a program of a script that is missing',
		reason: "env: 'node': No such file or directory",
		stderr: "env: 'node': No such file or directory\n",
	},
	{
		what: 'colours',
		reason: 'ERROR no token',
		stderr:
			'\u001B[32mINFO\u001B[39m starting, errors go here\n\u001B[1;31mERROR\u001B[0m no token\n',
	},
	{
		what: 'an old npm',
		reason: 'npm ERR! 404 Not Found - GET https://registry.npmjs.org/nope - Not found',
		stderr:
			'npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://registry.npmjs.org/nope - Not found\nnpm ERR! 404\n',
	},
	{
		what: 'Go',
		reason: 'panic: runtime error: invalid memory address or nil pointer dereference',
		stderr:
			'panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:5 +0x1d\nexit status 2\n',
	},
	{
		what: 'docker',
		reason: 'docker: Error response from daemon: pull access denied for nope.',
		stderr:
			"Unable to find image 'nope:latest' locally\ndocker: Error response from daemon: pull access denied for nope.\n\nRun 'docker run --help' for more information\n",
	},
	{
		what: 'no complaint: what it said last',
		reason: 'waiting for the vault',
		stderr: 'starting\nwaiting for the vault\n\n',
	},
	{
		what: 'only a stack',
		reason: 'Node.js v24.21.0',
		stderr: '    at x (a.js:1:2)\nNode.js v24.21.0\n',
	},
	{what: 'blanks', reason: undefined, stderr: '\n  \n'},
	{what: 'nothing', reason: undefined, stderr: ''},
];

test.each(texts)('$what: $reason', ({stderr, reason}) => {
	expect(reasonIn(stderr.split('\n'))).toBe(reason);
});
