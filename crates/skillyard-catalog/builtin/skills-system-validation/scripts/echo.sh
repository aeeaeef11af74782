#!/bin/sh
# Prints the marker and nothing else.
echo REMCOCHAT_SKILLS_SCRIPT_OK
