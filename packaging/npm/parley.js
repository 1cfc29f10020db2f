#!/usr/bin/env node
"use strict";
// Starts the program that npm has installed for this machine, beside this package and
// as a dependency of it. Nothing is fetched from anywhere, now or while it is
// installed; and a program that is not the one of the release is not started.

const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const platforms = require("./platforms.json");

function fail(message) {
  process.stderr.write(`parley: ${message}\n`);
  process.exit(1);
}

function findProgram() {
  const platform = `${process.platform}-${process.arch}`;
  const release = platforms[platform];
  if (!release) {
    fail(`there is no program for ${platform}, only for ${Object.keys(platforms).join(", ")}. Build it from source: it needs Go alone.`);
  }
  let path, content;
  try {
    path = require.resolve(`${release.package}/${release.program}`);
    content = readFileSync(path);
  } catch (error) {
    fail(`the package ${release.package} cannot be read (${error.code || error.message}).\nInstall again, and let npm install optional dependencies: it has none with --omit=optional.`);
  }
  if (createHash("sha256").update(content).digest("hex") !== release.sha256) {
    fail(`${path} is not the program of this release, and is not started. Install again.`);
  }
  return path;
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`cannot start the program: ${error.message}`));
// The terminal sends SIGINT to both: the program decides what it means.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
